import { readFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { catalog, resourceAt } from '#contract'
import type { Images } from '#images'
import { requireBrand } from '#operator'
import { openServiceImages, type Records, readServiceConfig } from '#server'
import { decodeBody } from '#store'
import {
  checkFile,
  findImageFiles,
  type ImageFile,
  type ImageRecord,
  matchRecord,
} from './image-files.ts'
import { CommandError, createOutput } from './output.ts'
import { createProgress } from './progress.ts'
import { withRecords } from './records.ts'

interface AddOptions {
  readonly brand: string
  readonly dryRun?: boolean
  readonly show: number
  readonly json?: boolean
}

export const addImages = (program: Command): void => {
  program
    .command('images')
    .description('Put image files in place.')
    .command('add')
    .description(
      "Store image files in IMAGES_URL, after they have been compared with the brand's image records.",
    )
    .argument(
      '<path...>',
      "files or folders; a file is named by its record's id, with or without an extension, or by the fileName of its record",
    )
    .requiredOption('--brand <slug>', 'the brand (required)')
    .option('--dry-run', 'compare and report without storing')
    .option('--show <n>', 'how many files and records are listed of each kind', readCount, 20)
    .option('--json', 'print JSON')
    .action((paths: string[], options: AddOptions) =>
      withRecords((records) => add(records, paths, options)),
    )
}

const readCount = (text: string): number => {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Use a whole number.')
}

/** A file that contradicts its record, or matches several records. */
interface Problem {
  readonly file: string
  readonly reason: string
}

interface Match {
  readonly file: ImageFile
  readonly record: ImageRecord
}

const add = async (
  records: Records,
  paths: readonly string[],
  options: AddOptions,
): Promise<void> => {
  const { brand } = options
  await requireBrand(records.store, brand)
  const files = await findImageFiles(paths)
  if (files.size === 0) throw new CommandError(`There are no files in ${paths.join(', ')}.`)
  const images = openServiceImages(readServiceConfig(), records.secret, () => '')
  try {
    const { matches, missing } = await compare(records, images, files, brand)
    const matched = new Set(matches.map(({ file }) => file))
    const superfluous = [...new Set(files.values())].filter((file) => !matched.has(file))
    const problems = await findProblems(matches)
    const isAllowed = problems.length === 0 && matches.length > 0
    const stored = isAllowed && !options.dryRun ? await store(images, brand, matches, options) : 0
    report({ matches, missing, superfluous, problems, stored }, options)
    if (!isAllowed) process.exitCode = 1
  } finally {
    await images.close()
  }
}

/** Matches files with records, and finds records without a file, here or in the storage. */
const compare = async (
  { store }: Records,
  images: Images,
  files: ReadonlyMap<string, ImageFile>,
  brand: string,
): Promise<{ readonly matches: readonly Match[]; readonly missing: readonly ImageRecord[] }> => {
  const placed = new Set<string>()
  for await (const ids of images.ids(brand)) for (const id of ids) placed.add(id)
  const matches: Match[] = []
  const missing: ImageRecord[] = []
  await store.snapshot(brand, async (reader) => {
    for await (const bodies of reader.bodies(resourceAt(catalog, 'images'))) {
      for (const body of bodies) {
        const record = JSON.parse(decodeBody(body)) as ImageRecord
        const file = matchRecord(files, record)
        if (file) matches.push({ file, record })
        else if (!placed.has(record.id)) missing.push(record)
      }
    }
  })
  return { matches, missing }
}

const findProblems = async (matches: readonly Match[]): Promise<readonly Problem[]> => {
  const problems: Problem[] = []
  const byFile = Map.groupBy(matches, ({ file }) => file)
  for (const [file, ofFile] of byFile) {
    const [first, second] = ofFile
    if (first && second) {
      const reason = `is the fileName of ${ofFile.length} records, such as ${first.record.id} and ${second.record.id}: name the file by the id of its record`
      problems.push({ file: file.path, reason })
      continue
    }
    const reason = first && (await checkFile(file, first.record))
    if (reason) problems.push({ file: file.path, reason })
  }
  return problems
}

const store = async (
  images: Images,
  brand: string,
  matches: readonly Match[],
  { json }: AddOptions,
): Promise<number> => {
  const progress = createProgress()
  let stored = 0
  for (const { file, record } of matches) {
    const { id, mimeType, fileName } = record
    await images.put({ brand, id, mimeType, fileName }, await readFile(file.path))
    stored += 1
    if (!json) progress.show('images', stored, 'files', stored / matches.length)
  }
  if (!json) progress.end('images', stored, 'files')
  return stored
}

interface Report {
  readonly matches: readonly Match[]
  readonly missing: readonly ImageRecord[]
  readonly superfluous: readonly ImageFile[]
  readonly problems: readonly Problem[]
  readonly stored: number
}

const report = (
  { matches, missing, superfluous, problems, stored }: Report,
  { dryRun = false, show, json }: AddOptions,
): void => {
  const counts = {
    dryRun,
    matched: matches.length,
    stored,
    problems: problems.length,
    superfluous: superfluous.length,
    missing: missing.length,
  }
  const listed = {
    problems: problems.slice(0, show),
    superfluous: superfluous.slice(0, show).map(({ path }) => path),
    missing: missing.slice(0, show).map(({ id, fileName }) => ({ id, fileName })),
  }
  createOutput(Boolean(json)).result({ ...counts, first: listed }, () =>
    [
      outcome(matches.length, problems.length, stored, dryRun),
      ...section('Files that are not as their records say', problems.length, [
        ...listed.problems.map(({ file, reason }) => `${file} ${reason}`),
      ]),
      ...section('Files without a record', superfluous.length, listed.superfluous),
      ...section(
        'Records without a file',
        missing.length,
        listed.missing.map(({ id, fileName }) => `${id} ${fileName}`),
      ),
    ].join('\n'),
  )
}

const outcome = (matched: number, problems: number, stored: number, dryRun: boolean): string => {
  const files = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'file' : 'files'}`
  if (matched === 0) return 'Nothing was stored: no file belongs to a record of the brand.'
  if (problems > 0) return `Nothing was stored: ${files(problems)} of ${matched} cannot be.`
  if (dryRun) return `${files(matched)} can be stored. This was a dry run: nothing was stored.`
  return `Stored ${files(stored)}.`
}

const section = (title: string, count: number, lines: readonly string[]): readonly string[] => {
  if (count === 0) return []
  const more = count - lines.length
  return [
    `${title}: ${count.toLocaleString('en')}`,
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [`  … and ${more.toLocaleString('en')} more`] : []),
  ]
}
