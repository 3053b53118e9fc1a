import { type Catalog, type Kind, leafFields } from '#contract'
import type { Expression, ObjectEntry, ValueSource } from './mapping.ts'
import { kindName, type Target } from './parse-modifiers.ts'
import { type ProblemList, readSettings, readText, unknownName } from './settings.ts'
import { lookupSettings } from './syntax.ts'
import type { YamlNode } from './yaml-tree.ts'

interface LookupContext {
  readonly catalog: Catalog
  readonly problems: ProblemList
  /** Parses the value of a field. */
  readonly parse: (node: YamlNode, target: Target) => Expression | null
}

/** Kinds whose values are the same text in rows and in records. */
const comparedKinds: readonly Kind[] = ['text', 'integer', 'date', 'ref']

/** Parses a reference to a record that is found by other fields than its key. */
export const parseLookup = (
  node: YamlNode,
  { name, field }: Target,
  { catalog, problems, parse }: LookupContext,
): ValueSource | null => {
  if (field.kind !== 'ref') {
    problems.add(node.line, `lookup makes a reference, and ${name} is ${kindName(field.kind)}`)
    return null
  }
  const settings = readSettings(node, lookupSettings, `lookup of ${name}`, problems)
  const wanted = field.to ?? ''
  const collection =
    readText(settings.get('collection'), `collection of ${name}`, problems) ?? wanted
  if (collection !== wanted) {
    problems.add(
      node.line,
      catalog.byPath.has(collection)
        ? `${name} refers to ${wanted}, not to ${collection}`
        : unknownName(collection, [...catalog.byPath.keys()], 'a collection'),
    )
    return null
  }
  const by = settings.get('by')
  if (by?.kind !== 'map' || by.entries.length === 0) {
    problems.add(
      (by ?? node).line,
      `lookup of ${name} does not say which fields are compared; use lookup: { collection: ${wanted}, by: { name: COLUMN } }`,
    )
    return null
  }
  const leaves = leafFields(catalog.byPath.get(collection)?.fields ?? {})
  const entries = by.entries.flatMap((entry): readonly ObjectEntry[] => {
    const leaf = leaves.find((each) => each.name === entry.name)
    if (!leaf) {
      const names = leaves.map((each) => each.name)
      problems.add(entry.line, unknownName(entry.name, names, `a field of ${collection}`))
      return []
    }
    if (!comparedKinds.includes(leaf.field.kind)) {
      const advice =
        leaf.field.kind === 'id'
          ? 'a column with identifiers is the reference itself'
          : 'use another field'
      problems.add(
        entry.line,
        `records cannot be looked up by ${entry.name}, which is ${kindName(leaf.field.kind)}: ${advice}`,
      )
      return []
    }
    const value = parse(entry.value, { name, field: { ...leaf.field, nullable: true } })
    return value ? [{ name: entry.name, value }] : []
  })
  return entries.length === by.entries.length ? { kind: 'lookup', collection, by: entries } : null
}
