import { type Command, InvalidArgumentError, Option } from 'commander'
import type { OnError } from '#ingest'
import type { Mapping } from '#mapping'
import { loadDecidedMapping } from './mapping-file.ts'
import { addOpenOption, type OpenOptions } from './open-option.ts'
import { UsageError } from './output.ts'

/** Handling of rows that cannot be imported unchanged. */
export interface RowOptions {
  readonly allowRemovals?: boolean
  readonly allowDangling?: boolean
  readonly onError?: 'refuse' | 'quarantine'
  readonly maxBadRows?: number
  readonly skipInvalid?: boolean
  readonly park?: boolean
}

/** The options of every command that imports files. */
export interface FileImportOptions extends RowOptions, OpenOptions {
  readonly map?: string
  readonly brand?: string
  readonly shared?: boolean
  readonly collection?: string
  readonly replace?: boolean
}

/** Adds the options for the mapping, the owner of the records and their collection. */
export const addOwnerOptions = (command: Command): Command =>
  addOpenOption(
    command.option(
      '--map <file>',
      'a mapping file: how rows with columns and keys of your own become records',
    ),
  )
    .option('--brand <slug>', 'the brand that owns the records')
    .option('--shared', 'the records are shared by all brands')
    .option('--collection <path>', 'the collection, instead of the one in the file name')

/** Adds the options for rows that cannot be imported unchanged, and for removals. */
export const addRowOptions = (command: Command, onError: 'refuse' | 'quarantine'): Command =>
  command
    .addOption(
      new Option(
        '--on-error <action>',
        `what rows that cannot be stored do: refuse everything, or wait in quarantine while the others are stored (default: ${onError})`,
      ).choices(['refuse', 'quarantine']),
    )
    .addOption(
      new Option(
        '--max-bad-rows <percent>',
        'refuse everything if more rows than this, and more than 20, are bad (default: 5)',
      ).argParser(percentage),
    )
    .option('--allow-removals', 'allow to remove more than half of a collection')
    .option('--allow-dangling', 'report references to missing records as warnings')
    .option('--skip-invalid', 'an earlier name of --on-error quarantine')
    .option(
      '--park',
      'let only rows wait that refer to records that are not there yet; later imports try them again',
    )

const percentage = (text: string): number => {
  const percent = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && percent <= 100) return percent
  throw new InvalidArgumentError('Use a number from 0 to 100.')
}

/** What becomes of rows that cannot be stored, for an import. */
export const rowHandling = (
  { onError, maxBadRows, skipInvalid, park }: RowOptions,
  otherwise: 'refuse' | 'quarantine',
): { readonly onError: OnError; readonly badRowsPercentMax: number | undefined } => {
  const isQuarantine = skipInvalid || onError === 'quarantine'
  return {
    onError: isQuarantine ? 'quarantine' : park ? 'park' : (onError ?? otherwise),
    badRowsPercentMax: maxBadRows,
  }
}

export const requireOneChoice = ({ park, allowDangling }: RowOptions): void => {
  if (park && allowDangling) {
    throw new UsageError(
      'Choose what becomes of references to missing records: use either --park or --allow-dangling.',
    )
  }
}

/** The mapping, if any, and the brand that owns the records; undefined for shared records. */
export const readOwner = async (
  options: FileImportOptions,
): Promise<{ readonly mapping: Mapping | null; readonly brand: string | undefined }> => {
  const { shared, map } = options
  const mapping = map === undefined ? null : await loadDecidedMapping(map, options)
  const brand = options.brand ?? (shared ? undefined : (mapping?.brand ?? undefined))
  if (Boolean(brand) === Boolean(shared)) {
    throw new UsageError('Name the owner of the records: use either --brand <slug> or --shared.')
  }
  if (mapping?.brand && mapping.brand !== brand) {
    throw new UsageError(
      `${mapping.file} is for the brand ${mapping.brand}. Leave out ${shared ? '--shared' : '--brand'}, or remove brand from the file.`,
    )
  }
  return { mapping, brand }
}
