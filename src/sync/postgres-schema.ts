import type { SchemaQueries } from './source-schema.ts'

/**
 * The tables of a database of PostgreSQL that its user may read. The catalog is asked, because the
 * information schema hides keys from users that can only read.
 */
export const postgresSchema: SchemaQueries = {
  tables: (tablesMax) => `select c.oid::text, c.relname,
  case when pg_table_is_visible(c.oid) then quote_ident(c.relname)
  else quote_ident(n.nspname) || '.' || quote_ident(c.relname) end
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
  and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
  and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')
order by c.relkind in ('v', 'm'), n.nspname, c.relname
limit ${tablesMax}`,
  columns: (
    tables,
  ) => `select a.attrelid::text, a.attname, format_type(a.atttypid, null), a.attnotnull, false
from pg_attribute a
where a.attrelid in (${tables}) and a.attnum > 0 and not a.attisdropped
order by a.attrelid, a.attnum`,
  keys: (tables) => `select c.conrelid::text, c.conname, a.attname, c.confrelid::text, f.attname
from pg_constraint c
cross join lateral unnest(c.conkey, c.confkey) with ordinality as k(own, other, position)
join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.own
left join pg_attribute f on f.attrelid = c.confrelid and f.attnum = k.other
where c.contype in ('p', 'f') and c.conrelid in (${tables})
order by c.conrelid, c.conname, k.position`,
  // A value of any type as a text, of which the beginning is enough.
  beginning: (column, length) => `left(${column}::text, ${length})`,
}
