"""pandas: tables, their columns and their parts."""
