import type { SchemaQueries } from './source-schema.ts'

/**
 * The tables of a database of PostgreSQL that its user may read. The catalog is asked, because the
 * information schema hides keys from users that can only read.
 */
export const postgresSchema: SchemaQueries = {
  tables: (tablesMax) => `select c.oid::text, n.nspname, c.relname,
  case when pg_table_is_visible(c.oid) then quote_ident(c.relname)
  else quote_ident(n.nspname) || '.' || quote_ident(c.relname) end,
  pg_table_is_visible(c.oid), c.relkind in ('v', 'm'),
  case when c.relkind in ('r', 'm') then c.reltuples::bigint end
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
  and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
  and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')
order by c.relkind in ('v', 'm'), n.nspname, c.relname
limit ${tablesMax}`,
  // The type of a domain is the one that it restricts.
  columns: (tables) => `select a.attrelid::text, a.attname,
  case when t.typtype = 'd' then format_type(t.typbasetype, t.typtypmod)
  else format_type(a.atttypid, a.atttypmod) end, a.attnotnull, false
from pg_attribute a
join pg_type t on t.oid = a.atttypid
where a.attrelid in (${tables}) and a.attnum > 0 and not a.attisdropped
order by a.attrelid, a.attnum`,
  foreignKeys: (
    tables,
  ) => `select c.conrelid::text, c.conname, a.attname, c.confrelid::text, f.attname
from pg_constraint c
cross join lateral unnest(c.conkey, c.confkey) with ordinality as k(own, other, position)
join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.own
join pg_attribute f on f.attrelid = c.confrelid and f.attnum = k.other
where c.contype = 'f' and c.conrelid in (${tables})
order by c.conrelid, c.conname, k.position`,
  // Rows can have the same values in an index on expressions or on some of the rows. Included
  // columns, which PostgreSQL has since version 11, are not part of the key.
  uniqueKeys: (tables) => `select i.indrelid::text, i.indexrelid::text, a.attname, i.indisprimary
from pg_index i
cross join lateral unnest(i.indkey) with ordinality as k(own, position)
join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.own
where i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
  and k.position <= coalesce((to_jsonb(i) ->> 'indnkeyatts')::integer, i.indnatts)
  and i.indrelid in (${tables})
order by i.indrelid, i.indisprimary desc, i.indexrelid, k.position`,
  // A value of any type as a text, of which the beginning is enough.
  beginning: (column, length) => `left(${column}::text, ${length})`,
}
