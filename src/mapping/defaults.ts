import { leafFields, type Resource } from '#contract'
import type { MappingProblem } from './mapping-error.ts'
import { type ProblemList, unknownName } from './settings.ts'
import type { YamlEntry, YamlNode } from './yaml-tree.ts'

/** The values of a file for fields that mappings of collections do not make themselves. */
export interface Defaults {
  readonly entries: readonly YamlEntry[]
  /** Notes that a field of a collection takes one. */
  take(entry: YamlEntry): void
  /** Notes that a collection has no such field, or why the field does not take it. */
  refuse(entry: YamlEntry, resource: Resource, problems: readonly MappingProblem[]): readonly []
  /** Reports those that no collection takes. */
  reportUnused(problems: ProblemList): void
}

export const createDefaults = (node: YamlNode | undefined, problems: ProblemList): Defaults => {
  if (node && node.kind !== 'map') {
    problems.add(
      node.line,
      'defaults must have a value for each field: { currency: { value: EUR } }',
    )
  }
  const entries = node?.kind === 'map' ? node.entries : []
  const usedNames = new Set<string>()
  const refusals = new Map<string, MappingProblem>()
  const names = new Set<string>()
  return {
    entries,
    take: ({ name }) => usedNames.add(name),
    refuse: ({ name }, { path, fields }, [first]) => {
      for (const leaf of leafFields(fields)) names.add(leaf.name)
      if (first && !refusals.has(name)) {
        refusals.set(name, { ...first, message: `${first.message} (in ${path})` })
      }
      return []
    },
    reportUnused: (list) => {
      for (const { name, line } of entries) {
        if (usedNames.has(name)) continue
        const refusal = refusals.get(name)
        if (refusal) list.add(refusal.line, `no collection takes this default: ${refusal.message}`)
        else list.add(line, unknownName(name, [...names], 'a field of these collections'))
      }
    },
  }
}
