-- How this session writes numbers and sorts names.
alter session set nls_numeric_characters = '.,' nls_sort = binary nls_comp = binary;
