import { literal, quote } from '../database.ts'
import type { ReadableTable, RowSecurity } from '../row-security.ts'
import { mayTake, readerRole } from './reader.ts'

const policyOf = ({ rows }: ReadableTable): string | null => {
  if (rows === 'all' || rows === 'none') return null
  return rows === 'owner' ? 'selvedge_owner' : 'selvedge_rows'
}

const conditionOf = ({ rows }: ReadableTable): string =>
  typeof rows === 'object'
    ? `${quote(rows.column)} = ${literal(rows.value)}`
    : `"owner" = ANY (ARRAY[NULLIF(current_setting('selvedge.owner', true), '')::bigint, 0::bigint])`

/**
 * Normalises a condition by removing everything that PostgreSQL adds or removes when it prints it.
 */
const normalised = (expression: string): string =>
  `translate(replace(${expression}, '::text', ''), ' ()"', '')`

/**
 * Whether the user may create the missing role, or grant the existing one: since PostgreSQL 16, a
 * user with CREATEROLE cannot grant roles that others created.
 */
const mayGrant = (role: string): string =>
  [
    '(select u.rolsuper or u.rolcreaterole and',
    `(${role} is null or current_setting('server_version_num')::int < 160000)`,
    `or coalesce(pg_has_role(current_user, ${role}, 'MEMBER WITH ADMIN OPTION'), false)`,
    'from pg_roles as u where u.rolname = current_user)',
  ].join(' ')

/** Runs a statement if the role exists and the user has the right to. */
const whereAllowed = (statement: string): string =>
  `do $do$ begin if exists (select from pg_roles where rolname = '${readerRole}') then execute $run$${statement}$run$; end if; exception when insufficient_privilege then null; end $do$`

/**
 * A separate role serves requests. It reads the rows of the owner named by its transaction, and
 * shared rows, whose owner is 0. Of the settings, it reads only the number of the last change: only
 * the tables' owner reads the secret that signs cursors and links.
 */
export const postgresRowSecurity: RowSecurity = {
  inspect: (tables) => ({
    text: [
      'select current_user::text, (r.oid is not null)::int,',
      `${mayTake('r.oid')}::int,`,
      `${mayGrant('r.oid')}::int,`,
      `coalesce(string_agg(t."name", ',' order by t."name"), ''),`,
      "coalesce(bool_or(pg_has_role(current_user, t.owner, 'USAGE')), false)::int",
      `from (select 1) as one left join pg_roles as r on r.rolname = '${readerRole}'`,
      'left join lateral (',
      'select w."name", c.relowner as owner from (values',
      tables
        .map((table) => {
          const policy = policyOf(table)
          return `(${literal(table.name)}, ${policy ? literal(policy) : 'null'}, ${literal(conditionOf(table))}, ${table.rows !== 'none'})`
        })
        .join(', '),
      ') as w ("name", "policy", "condition", "readable")',
      `join pg_class as c on c.oid = to_regclass('public.' || quote_ident(w."name"))`,
      "where coalesce(has_table_privilege(r.oid, c.oid, 'SELECT'), false) <> w.readable",
      'or (w.policy is not null and not (c.relrowsecurity and exists (',
      'select from pg_policy as p where p.polrelid = c.oid and p.polname = w.policy and r.oid = any(p.polroles)',
      `and ${normalised('pg_get_expr(p.polqual, p.polrelid)')} = ${normalised('w.condition')})))`,
      ') as t on true group by r.oid',
    ].join(' '),
    values: [],
  }),
  read: ([user, hasRole, isTakeable, canGrant, names, ownsSome]) => {
    const incomplete = String(names)
      .split(',')
      .filter((name) => name !== '')
    const create = `create role ${readerRole}; grant ${readerRole} to "${user}";`
    const byWhom = 'Have a user who may create roles run this in the database, then start again:'
    const problem =
      Number(hasRole) === 0
        ? `The role ${readerRole} does not exist, and ${user} may not create it. ${byWhom} ${create}`
        : Number(isTakeable) === 0
          ? `${user} may not act as the role ${readerRole}. ${byWhom} grant ${readerRole} to "${user}";`
          : incomplete.length > 0
            ? `Grants or policies for the role ${readerRole} are missing or different on ${incomplete.length} tables, such as ${incomplete[0]}. Start once as the user who owns the tables, which repairs them.`
            : null
    return {
      problem,
      incomplete,
      canRepair:
        (Number(canGrant) === 1 && Number(isTakeable) === 0) ||
        (Number(hasRole) === 1 && Number(ownsSome) === 1),
    }
  },
  repair: (tables) => [
    `do $$ begin if not exists (select from pg_roles where rolname = '${readerRole}') then create role ${readerRole}; end if; exception when insufficient_privilege or duplicate_object then null; end $$`,
    whereAllowed(`grant ${readerRole} to current_user`),
    whereAllowed(`grant usage on schema public to ${readerRole}`),
    ...tables.flatMap((table) => {
      const name = quote(table.name)
      const policy = policyOf(table)
      return [
        whereAllowed(
          table.rows === 'none'
            ? `revoke select on ${name} from ${readerRole}`
            : `grant select on ${name} to ${readerRole}`,
        ),
        ...(policy
          ? [
              whereAllowed(
                [
                  `alter table ${name} enable row level security`,
                  `drop policy if exists ${policy} on ${name}`,
                  `create policy ${policy} on ${name} for select to ${readerRole} using (${conditionOf(table)})`,
                ].join('; '),
              ),
            ]
          : []),
      ]
    }),
  ],
}
