import { catalog, type ResourcePath, resourceAt, type UniqueKey, uniqueKeysOf } from '#contract'
import { present } from '../condition.ts'
import { atMostOne } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { row, type Source, textOf } from '../source.ts'
import type { Sql } from '../sql.ts'

/** One rule for each unique key, under the name of the key. */
const keyRule = ({ name, collection, fields }: UniqueKey): Rule => {
  const path = collection as ResourcePath
  const record = row(path, 'record') as Source & { readonly [field: string]: Sql }
  const resource = resourceAt(catalog, path)
  // A column may hold a part of a text.
  const per = fields.map((field) =>
    resource.fields[field]?.kind === 'text'
      ? textOf(record as never, field as never)
      : (record[field] as Sql),
  )
  const [first] = per
  const words = fields.join(' and ')
  return {
    ...rule(
      name,
      'error',
      [path],
      `No two records of ${path} have the same ${words}.`,
      `Correct the ${words} of one of the records, or remove the one that is there twice.`,
      atMostOne({
        of: record,
        from: record,
        per,
        title: record['id'] as Sql,
        detail: `the same ${words} as`,
        ...(fields.length === 1 && { where: present(first as Sql) }),
      }),
    ),
    check: name,
  }
}

export const keyRules: readonly Rule[] = catalog.resources.flatMap(uniqueKeysOf).map(keyRule)
