import { readdir, realpath } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { resourceAt } from '#contract'
import {
  type CollectionMapping,
  type Mapping,
  mappingsFor,
  matchesPattern,
  type RowOrigin,
} from '#mapping'
import { correctedName, isCorrectionName } from './corrections.ts'
import { plainText } from './report.ts'
import { SourceError } from './row.ts'
import {
  isFolder,
  type JoinedInput,
  type NamedFile,
  openableFile,
  type Source,
  type SourceOptions,
} from './source.ts'
import type { TableOptions } from './table.ts'

export interface MappedSourceOptions extends SourceOptions {
  readonly mapping: Mapping
  /** The time of the import. */
  readonly importedAt: string
  /** What to do with a file that no pattern matches. */
  readonly unmatchedAdvice?: string
  /** Further files whose rows can be joined. */
  readonly otherFiles?: readonly NamedFile[]
}

/**
 * The sources for the given paths, by the patterns of a mapping: files, files in folders, `-` for
 * standard input. A file is a source of every collection whose pattern it matches, and may be open
 * already.
 */
export const findMappedSources = async (
  paths: readonly (string | NamedFile)[],
  options: MappedSourceOptions,
): Promise<readonly Source[]> => {
  const {
    mapping,
    catalog,
    importedAt,
    onSkipped = () => undefined,
    unmatchedAdvice = '',
  } = options
  const sources: Source[] = []
  const groups = await listFiles(paths)
  const all = await distinct([
    ...groups.flatMap(({ files }) => files),
    ...(options.otherFiles ?? []),
  ])
  for (const { path, files, isWhole } of groups) {
    if (path === '-') {
      sources.push(...(await standardInput(options, all)))
      continue
    }
    const before = sources.length
    for (const file of files) {
      const name = nameOf(file)
      const mappings = wantedOf(mappingsFor(mapping, correctedName(basename(name))), options)
      if (mappings.length === 0) {
        if (isJoinedFile(mapping, name)) continue
        if (!isWhole) {
          throw new SourceError(`${name} matches none of ${patternsOf(mapping)}${unmatchedAdvice}`)
        }
        if (!isMappingFile(name)) onSkipped(name)
        continue
      }
      const { input, ...rest } = await openableFile(file, options)
      for (const each of mappings) {
        const isCorrection = isCorrectionName(name)
        const joined = isCorrection ? undefined : await findJoined(each, all, options)
        sources.push({
          ...rest,
          input: { ...input, table: tableOptions(each.from, options, isCorrection) },
          resource: resourceAt(catalog, each.collection),
          mapping: each,
          ...(joined && { joined }),
          importedAt,
        })
      }
    }
    if (isWhole && sources.length === before) {
      throw new SourceError(`${path} has no file that matches one of ${patternsOf(mapping)}`)
    }
  }
  // A replacement with given rows alone would remove those of the collection's files.
  const isWhole = ({ resource: { path } }: Source) =>
    sources.some(({ resource }) => resource.path === path) ||
    mapping.collections.every(({ collection, from }) => collection !== path || from.given)
  return [
    ...givenSources(wantedOf(mapping.collections, options), options).filter(isWhole),
    ...sources,
  ]
}

type File = string | NamedFile

const nameOf = (file: File): string => (typeof file === 'string' ? file : file.name)

/** A file that is named twice would count twice in values over its rows. */
const distinct = async (files: readonly File[]): Promise<readonly File[]> => {
  const byPlace = new Map<string, File>()
  for (const file of files) {
    const name = nameOf(file)
    const place = typeof file === 'string' ? await realpath(file).catch(() => name) : name
    if (!byPlace.has(place)) byPlace.set(place, file)
  }
  return [...byPlace.values()]
}

interface PathFiles {
  readonly path: File
  readonly files: readonly File[]
  readonly isWhole: boolean
}

/** The files of each path. */
const listFiles = async (paths: readonly File[]): Promise<readonly PathFiles[]> => {
  const groups: PathFiles[] = []
  for (const path of paths) {
    const isWhole = typeof path === 'string' && path !== '-' && (await isFolder(path))
    const files = isWhole ? (await readdir(path)).sort().map((name) => join(path, name)) : [path]
    groups.push({ path, files: path === '-' ? [] : files, isWhole })
  }
  return groups
}

/** Whether the rows of a file are joined to others. */
export const isJoinedFile = (
  { collections }: Pick<Mapping, 'collections'>,
  name: string,
): boolean =>
  collections.some((each) =>
    joinPatterns(each).some((patterns) => patterns.some((pattern) => matches(pattern, name))),
  )

/** The patterns of files whose rows are joined, of each join. */
export const joinPatterns = ({
  join: joins = [],
}: CollectionMapping): readonly (readonly string[])[] =>
  joins.flatMap(({ from }) => (from.files ? [from.files.patterns] : []))

const matches = (pattern: string, name: string): boolean =>
  matchesPattern(pattern, basename(name)) && !isCorrectionName(name)

/** The rows that a mapping joins, in files of the same import; undefined for a mapping without. */
const findJoined = async (
  mapping: CollectionMapping,
  files: readonly File[],
  options: MappedSourceOptions,
): Promise<Source['joined']> => {
  const joined: JoinedInput[] = []
  for (const { name, line, from } of mapping.join ?? []) {
    if (!from.files) continue
    const { patterns } = from.files
    const own = files.filter((file) => patterns.some((each) => matches(each, nameOf(file))))
    if (own.length === 0) {
      throw new SourceError(
        `${mapping.file}:${line} joins ${name} to ${mapping.collection}, and no file matches ${patterns.map(plainText).join(', ')}: import the files together`,
      )
    }
    const inputs = own.map(async (file) => {
      const { input, ...rest } = await openableFile(file, options)
      return { ...rest, input: { ...input, table: tableOptions(from, options) } }
    })
    joined.push({ name, files: await Promise.all(inputs) })
  }
  return joined.length > 0 ? joined : undefined
}

/** The rows that the mapping has itself. */
export const givenSources = (
  mappings: readonly CollectionMapping[],
  { catalog, importedAt }: Pick<MappedSourceOptions, 'catalog' | 'importedAt'>,
): readonly Source[] =>
  mappings
    .filter(({ from }) => from.given)
    .map((mapping) => ({
      name: mapping.file,
      bytes: 0,
      input: { kind: 'given' },
      isUnordered: true,
      resource: resourceAt(catalog, mapping.collection),
      mapping,
      importedAt,
    }))

/** Mapping files are often in the same folder as the files they describe. */
const isMappingFile = (path: string): boolean => /\.map\.ya?ml$/i.test(path)

const wantedOf = (
  mappings: readonly CollectionMapping[],
  { collection }: Pick<SourceOptions, 'collection'>,
): readonly CollectionMapping[] =>
  collection === undefined ? mappings : mappings.filter((each) => each.collection === collection)

/**
 * The mapping's options for reading a table. Options of the command take precedence. A correction
 * file is not written in the form of its original.
 */
const tableOptions = (
  from: RowOrigin,
  { table }: SourceOptions,
  isCorrection = false,
): TableOptions => {
  const { encoding, delimiter, sheet, headerRow } = (isCorrection ? null : from.files) ?? {}
  return {
    encoding: table?.encoding ?? encoding,
    delimiter: table?.delimiter ?? delimiter,
    sheet: table?.sheet ?? sheet,
    headerRow: table?.headerRow ?? headerRow,
  }
}

const patternsOf = ({ file, collections }: Mapping): string => {
  const patterns = new Set(collections.flatMap(({ from }) => from.files?.patterns ?? []))
  return patterns.size === 0
    ? `the patterns of ${file}, which has none: add from: { files: … } to a collection`
    : `the patterns of ${file}: ${[...patterns].map(plainText).join(', ')}`
}

const standardInput = async (
  options: MappedSourceOptions,
  files: readonly File[],
): Promise<readonly Source[]> => {
  const { mapping, catalog, importedAt, collection, format = 'csv' } = options
  if (collection === undefined) {
    throw new SourceError('Standard input has no file name: name its collection with --collection')
  }
  const mappings = wantedOf(mapping.collections, options)
  const [only, ...more] = mappings
  if (!only || more.length > 0) {
    throw new SourceError(
      only
        ? `${mapping.file} has several mappings of ${collection}: import files, whose names tell which one is meant`
        : `${mapping.file} has no mapping of ${plainText(collection)}`,
    )
  }
  const table = tableOptions(only.from, options)
  const joined = await findJoined(only, files, options)
  return [
    {
      name: '-',
      bytes: null,
      input: { kind: 'stream', stream: options.input, format, gzipped: false, table },
      resource: resourceAt(catalog, only.collection),
      mapping: only,
      ...(joined && { joined }),
      importedAt,
    },
  ]
}
