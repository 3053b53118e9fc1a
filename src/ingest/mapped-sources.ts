import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { resourceAt } from '#contract'
import { type CollectionMapping, type Mapping, mappingsFor } from '#mapping'
import { correctedName, isCorrectionName } from './corrections.ts'
import { plainText } from './report.ts'
import { SourceError } from './row.ts'
import {
  isFolder,
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
  for (const path of paths) {
    if (path === '-') {
      sources.push(...standardInput(options))
      continue
    }
    const isWhole = typeof path === 'string' && (await isFolder(path))
    const files = isWhole ? (await readdir(path)).sort().map((name) => join(path, name)) : [path]
    const before = sources.length
    for (const file of files) {
      const name = typeof file === 'string' ? file : file.name
      const mappings = wantedOf(mappingsFor(mapping, correctedName(basename(name))), options)
      if (mappings.length === 0) {
        if (!isWhole) {
          throw new SourceError(`${name} matches none of ${patternsOf(mapping)}${unmatchedAdvice}`)
        }
        if (!isMappingFile(name)) onSkipped(name)
        continue
      }
      const { input, ...rest } = await openableFile(file, options)
      for (const each of mappings) {
        sources.push({
          ...rest,
          input: { ...input, table: tableOptions(each, options, isCorrectionName(name)) },
          resource: resourceAt(catalog, each.collection),
          mapping: each,
          importedAt,
        })
      }
    }
    if (isWhole && sources.length === before) {
      throw new SourceError(`${path} has no file that matches one of ${patternsOf(mapping)}`)
    }
  }
  return sources
}

/** Mapping files are often in the same folder as the files they describe. */
const isMappingFile = (path: string): boolean => /\.map\.ya?ml$/i.test(path)

const wantedOf = (
  mappings: readonly CollectionMapping[],
  { collection }: SourceOptions,
): readonly CollectionMapping[] =>
  collection === undefined ? mappings : mappings.filter((each) => each.collection === collection)

/**
 * The mapping's options for reading a table. Options of the command take precedence. A correction
 * file is not written in the form of its original.
 */
const tableOptions = (
  { from }: CollectionMapping,
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

const standardInput = (options: MappedSourceOptions): readonly Source[] => {
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
  const table = tableOptions(only, options)
  return [
    {
      name: '-',
      bytes: null,
      input: { kind: 'stream', stream: options.input, format, gzipped: false, table },
      resource: resourceAt(catalog, only.collection),
      mapping: only,
      importedAt,
    },
  ]
}
