-- Both tables also compare symbols now, and ignore separators. The job of the worker fills them again.
delete from app.token_name_keys;
delete from app.token_names;
