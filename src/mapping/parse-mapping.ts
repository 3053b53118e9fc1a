import { type Catalog, catalog as ownCatalog, patterns } from '#contract'
import { nearest } from '#request'
import { createDefaults } from './defaults.ts'
import type { CollectionMapping, Mapping } from './mapping.ts'
import { MappingError } from './mapping-error.ts'
import { parseCollection, type ReferenceUse } from './parse-collection.ts'
import { plainFormats, readFormats, readTimezone } from './parse-formats.ts'
import { createProblemList, type ProblemList, readSettings, readText, shown } from './settings.ts'
import { fileSettings, formatSettings } from './syntax.ts'
import { parseYaml, type YamlMap, type YamlNode } from './yaml-tree.ts'

export interface MappingText {
  /** The name in messages. */
  readonly file: string
  readonly text: string
  readonly catalog?: Catalog
}

/** Longer files are rejected before parsing. */
const charactersMax = 2_000_000

/** Parses a mapping file and checks it against the contract. Throws a `MappingError` with all problems. */
export const parseMapping = async ({
  file,
  text,
  catalog = ownCatalog,
}: MappingText): Promise<Mapping> => {
  if (text.length > charactersMax) {
    throw new MappingError(file, [{ line: 0, message: 'is too long for a mapping file' }])
  }
  const tree = await parseYaml(text.startsWith('\ufeff') ? text.slice(1) : text)
  if (!tree.root) throw new MappingError(file, tree.problems)
  const problems = createProblemList()
  const mapping = parseFile(tree.root, file, catalog, problems)
  if (problems.all.length > 0) {
    throw new MappingError(
      file,
      [...problems.all].sort((a, b) => a.line - b.line),
    )
  }
  return mapping
}

const parseFile = (
  root: YamlNode,
  file: string,
  catalog: Catalog,
  problems: ProblemList,
): Mapping => {
  if (root.kind !== 'map') {
    problems.add(1, 'must begin with version: 1 and have collections')
    return { file, brand: null, database: null, collections: [] }
  }
  const settings = readSettings(root, fileSettings, 'a mapping file', problems)
  checkVersion(settings.get('version'), problems)
  const brand = readText(settings.get('brand'), 'brand', problems)
  if (brand !== null && !new RegExp(patterns.brand).test(brand)) {
    problems.add(settings.get('brand')?.line ?? 0, `${shown(brand)} is not a valid slug`)
  }
  const formatNode = settings.get('formats')
  const timezone = readTimezone(settings.get('timezone'), problems) ?? 'UTC'
  const outer = { ...plainFormats, timezone }
  const formats = formatNode
    ? readFormats(
        formatNode,
        readSettings(formatNode, formatSettings, 'formats', problems),
        outer,
        problems,
      )
    : outer
  const lists = readLists(settings.get('lists'), problems)
  const defaults = createDefaults(settings.get('defaults'), problems)
  const collections: CollectionMapping[] = []
  const uses: ReferenceUse[] = []
  const nodes = settings.get('collections')
  if (nodes?.kind !== 'map' || nodes.entries.length === 0) {
    problems.add(
      nodes?.line ?? 1,
      'has no collections: add collections: with the collections that rows become',
    )
  }
  for (const entry of nodes?.kind === 'map' ? nodes.entries : []) {
    const resource = catalog.byPath.get(entry.name)
    if (!resource) {
      const meant = nearest(entry.name, [...catalog.byPath.keys()])
      const advice = meant
        ? `did you mean ${meant}?`
        : 'collections are named as in the API, such as orders or order-items'
      problems.add(entry.line, `there is no collection ${shown(entry.name)}; ${advice}`)
      continue
    }
    if (brand !== null && resource.scope === 'shared') {
      problems.add(
        entry.line,
        `${resource.path} is shared by all brands: put it into a file without brand, and import it with --shared`,
      )
    }
    const parts = entry.value.kind === 'list' ? entry.value.items : [entry.value]
    for (const node of parts) {
      // A mapping outside a list begins at the name of its collection.
      const line = entry.value.kind === 'list' ? node.line : entry.line
      const parsed = parseCollection(node, {
        ...{ file, line, catalog, resource, formats, lists, defaults, problems },
      })
      if (!parsed) continue
      collections.push(parsed.mapping)
      uses.push(...parsed.uses)
    }
  }
  defaults.reportUnused(problems)
  checkKeys(collections, uses, problems)
  const database = readText(settings.get('database'), 'database', problems)
  return { file, brand, database, collections }
}

/** The named lists of values. Their values are read for each field that uses them. */
const readLists = (
  node: YamlNode | undefined,
  problems: ProblemList,
): ReadonlyMap<string, YamlMap> => {
  if (node && node.kind !== 'map') {
    problems.add(node.line, 'lists must have a list for each name: { status: { A: active } }')
  }
  const lists = new Map<string, YamlMap>()
  for (const { name, line, value } of node?.kind === 'map' ? node.entries : []) {
    if (value.kind === 'map') lists.set(name, value)
    else
      problems.add(line, `list ${shown(name)} must have texts and what they mean: { A: …, B: … }`)
  }
  return lists
}

const checkVersion = (node: YamlNode | undefined, problems: ProblemList): void => {
  if (!node) problems.add(1, 'has no version: add version: 1')
  else if (node.kind !== 'scalar' || node.value !== 1) {
    problems.add(node.line, 'version must be 1: this release knows no other')
  }
}

/** A reference must have as many parts as a key of its collection, or its identities differ. */
const checkKeys = (
  collections: readonly CollectionMapping[],
  uses: readonly ReferenceUse[],
  problems: ProblemList,
): void => {
  /** The line of the first key with each number of parts. */
  const keys = new Map<string, Map<number, number>>()
  for (const { collection, fields } of collections) {
    const id = fields.find(({ field }) => field === 'id')
    if (id?.value.source.kind !== 'identity') continue
    const parts = id.value.source.key.length
    const own = keys.get(collection) ?? new Map<number, number>()
    if (!own.has(parts)) own.set(parts, id.line)
    keys.set(collection, own)
  }
  for (const { line, collection, parts } of uses) {
    const own = keys.get(collection)
    if (!own || own.has(parts)) continue
    const lengths = [...own].map(([length, at]) => `its key in line ${at} has ${length}`)
    problems.add(
      line,
      `the reference to ${collection} has ${partsOf(parts)}, and ${lengths.join(', ')}: both must have the same parts in the same order`,
    )
  }
}

const partsOf = (count: number): string => `${count} ${count === 1 ? 'part' : 'parts'}`
