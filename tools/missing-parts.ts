import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rules } from '#check'
import {
  catalog,
  checkRecord,
  describeField,
  type Fields,
  formatCount,
  type Resource,
  resourceAt,
} from '#contract'
import { type DemoRecord, season } from '#demo'
import { type Field, groups } from '../console/src/contract.ts'
import { rules as germanRules } from '../console/src/texts/de/rules/index.ts'
import { german } from '../src/contract/german/index.ts'
import { namedCommands } from './reference/commands.ts'
import { tableAdviceProblems } from './reference/where-does-my-table-go.ts'

/** Something to add before files can be generated. */
export interface MissingPart {
  /** The incomplete file or folder, relative to the root of the repository. */
  readonly place: string
  readonly what: string
}

const definitions = 'src/contract/domains'
const demoRecords = 'demo/records'
const demoSeason = 'demo/season'
const germanNames = 'src/contract/german'
const germanSentences = 'console/src/texts/de/rules'
const violations = 'test/support/violations'
const guides = 'docs/{how-to,tutorial}'
const tableAdvice = 'tools/reference/erp-tables.ts'

const root = join(import.meta.dirname, '..')

/**
 * The missing parts of resources, fields, rules and commands: texts, demo records, tests, a guide.
 */
export const missingParts = (): readonly MissingPart[] => [
  ...catalog.resources.flatMap(definitionParts),
  ...demoParts(),
  ...nameParts(),
  ...ruleParts(),
  ...commandParts(),
  ...at(tableAdvice, tableAdviceProblems()),
]

/** One message about all missing parts, by place. */
export const describeMissing = (parts: readonly MissingPart[]): string =>
  [
    'Nothing was written, because these are missing:',
    ...[...Map.groupBy(parts, ({ place }) => place)].flatMap(([place, here]) => [
      place,
      ...here.map(({ what }) => `  ${what}`),
    ]),
    'CONTRIBUTING.md has an example of each.',
  ].join('\n')

const at = (place: string, whats: readonly string[]): readonly MissingPart[] =>
  whats.map((what) => ({ place, what }))

const definitionParts = (resource: Resource) =>
  at(definitions, [
    ...unexplained(resource.fields).map(
      (name) => `${resource.path}.${name}: a note, because its name says too little`,
    ),
    ...(resource.endpoints.includes('list') ? listParts(resource) : []),
  ])

/** Titles that need neither sort nor search: sentences, and numbers that restart for every parent. */
const otherTitles = ['body', 'cartonNumber', 'description', 'itemDescription', 'itemKey']

/** Names that repeat, so that a search would not find the right record. */
const repeatedTitles = ['bom-components.placement', 'payment-milestones.name']

const listParts = ({ path, title = '', fields, sortable, searchable }: Resource) => {
  if (sortable.length === 0) return [`${path}: a field in sortable`]
  const field = fields[title]
  if (field?.kind !== 'text' || field.values || otherTitles.includes(title)) return []
  const isFound = searchable.includes(title) || repeatedTitles.includes(`${path}.${title}`)
  return [
    ...(sortable.includes(title) ? [] : [`${path}: its title ${title} in sortable`]),
    ...(isFound ? [] : [`${path}: its title ${title} in searchable`]),
  ]
}

/** Fields whose description is only one short word. */
const unexplained = (fields: Fields, before = ''): readonly string[] =>
  Object.entries(fields).flatMap(([name, field]) => [
    ...(describeField(name, field).length < 6 ? [before + name] : []),
    ...unexplained(field.fields ?? {}, `${before}${name}.`),
  ])

const demoParts = (): readonly MissingPart[] => {
  const files = catalog.resources.map(({ path, scope }) => {
    const file = `${demoRecords}/${path}.json`
    return { path, scope, file, records: recordsIn(join(root, file)) }
  })
  const inFiles = files.flatMap(({ path, file, records }) =>
    at(file, [
      ...(records.length === 0 ? [`at least one record of ${path}, in a JSON array`] : []),
      ...problemsOf(records.map((record) => ({ path, record }))),
    ]),
  )
  if (files.some(({ records }) => records.length === 0)) return inFiles
  // A season starts with the records of the files.
  const own = files.flatMap(({ scope, records }) => (scope === 'brand' ? records : []))
  const made = [...season({ brand: 'aldermoor', orders: 5, seed: 1 })].slice(own.length)
  return [...inFiles, ...at(demoSeason, problemsOf(made))]
}

/** Empty if the file is missing or not a JSON array. */
const recordsIn = (file: string): readonly DemoRecord[] => {
  try {
    const records: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return Array.isArray(records) ? records : []
  } catch {
    return []
  }
}

/** The problems that the contract finds in records, without duplicates. */
const problemsOf = (
  items: readonly { readonly path: string; readonly record: DemoRecord }[],
): readonly string[] => {
  const problems = items.flatMap(({ path, record }) =>
    checkRecord(resourceAt(catalog, path), record).map(
      ({ pointer, reason }) => `${path}: ${pointer} ${reason}`,
    ),
  )
  return [...Map.groupBy(problems, (problem) => problem)].map(
    ([problem, { length }]) => `${problem} (${formatCount(length, 'record')})`,
  )
}

const nameParts = (): readonly MissingPart[] => {
  const withInner = (fields: readonly Field[]): readonly Field[] =>
    fields.flatMap((field) => [field, ...withInner(field.fields)])
  const fields = groups.flatMap((group) => [...withInner(group.fields), ...group.filters])
  const english = {
    groups: new Map(groups.map(({ path, title, singular }) => [path, `${title}, ${singular}`])),
    fields: new Map(fields.map(({ label }) => [label, label])),
    values: new Map(fields.flatMap((field) => field.values).map((value) => [value, value])),
    views: new Map(
      groups.flatMap((group) => group.views).map(({ title }) => [title, title] as const),
    ),
  }
  return (['groups', 'fields', 'values', 'views'] as const).flatMap((kind) => {
    const [needed, own] = [english[kind], german[kind]]
    const superfluous = Object.keys(own).filter((name) => !needed.has(name))
    return at(`${germanNames}/${kind}.ts`, [
      ...[...needed]
        .filter(([name]) => !Object.hasOwn(own, name))
        .map(([name, text]) => `'${name}': German for ${text}`),
      ...superfluous.map((name) => `'${name}': remove it, the contract has no such name`),
    ])
  })
}

const ruleParts = (): readonly MissingPart[] => {
  const cases = globSync(`${violations}/*.ts`, { cwd: root }).map((file) =>
    readFileSync(join(root, file), 'utf8'),
  )
  const isBroken = (id: string) =>
    cases.some((source) => new RegExp(`breaks\\(\\s*'${id}'`).test(source))
  // The rules about unique keys have texts and broken records in common.
  const written = rules.filter(({ id }) => !id.includes('.'))
  return written.flatMap(({ id, findings }) => {
    const own = germanRules[id]
    const details = findings.flatMap((finding) => {
      if (finding.kind === 'scan') return []
      return finding.kind === 'cycle' ? [finding.detail] : [finding.detail.texts.join('{}')]
    })
    return [
      ...at(germanSentences, [
        ...(own ? [] : [`'${id}': German for its sentence and its remedy`]),
        ...details
          .filter((detail) => !Object.hasOwn(own?.details ?? {}, detail))
          .map((detail) => `'${id}': German for its detail '${detail}'`),
      ]),
      ...at(violations, isBroken(id) ? [] : [`breaks('${id}', …): records that break it`]),
    ]
  })
}

/** Commands that print no result. */
const withoutResult = ['selvedge serve', 'selvedge mcp']

const commandParts = (): readonly MissingPart[] => {
  const pages = ['README.md', ...globSync(`${guides}/*.md`, { cwd: root })].map((file) =>
    readFileSync(join(root, file), 'utf8'),
  )
  return namedCommands().flatMap(({ words, command }) => {
    const { options, registeredArguments } = command
    const hasJson = options.some(({ long }) => long === '--json') || withoutResult.includes(words)
    const [program, name] = words.split(' ')
    return [
      ...at('src/cli', [
        ...(/^[A-Z].+\.$/.test(command.description())
          ? []
          : [`${words}: a sentence that describes it`]),
        ...options
          .filter(({ description }) => !description)
          .map(({ flags }) => `${words}: a description of ${flags}`),
        ...registeredArguments
          .filter(({ description }) => !description)
          .map((argument) => `${words}: a description of <${argument.name()}>`),
        ...(hasJson ? [] : [`${words}: an option --json`]),
      ]),
      ...at(
        'docs/how-to',
        pages.some((page) => page.includes(`${program} ${name}`))
          ? []
          : [`a paragraph about ${words}`],
      ),
    ]
  })
}
