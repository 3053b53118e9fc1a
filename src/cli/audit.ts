import { type Command, InvalidArgumentError, Option } from 'commander'
import { auditActions, type ChainedEntry, type ChainHead, type ReadEntry } from '#audit'
import { auditFilter, readHead, verifyAudit } from '#operator'
import { openQueueOutbox, type Records, readServiceConfig } from '#server'
import { asTable, CommandError, createOutput, logLine, shorten } from './output.ts'
import { createProgress } from './progress.ts'
import { withRecords } from './records.ts'

interface ListOptions {
  readonly since?: string
  readonly until?: string
  readonly brand?: string
  readonly action?: string
  readonly before?: number
  readonly limit?: number
  readonly json?: boolean
}

interface VerifyOptions {
  readonly expect?: ChainHead
  readonly json?: boolean
}

/** Entries of a table, unless another number is asked for. */
const tableEntries = 50
const limitMax = 10_000
/** Entries that are read at once. */
const pageEntries = 500

export const addAudit = (program: Command): void => {
  const audit = program
    .command('audit')
    .description('Show who changed what: keys, brands, checks, units of records, and starts.')

  audit
    .command('list', { isDefault: true })
    .description(`List the last entries of the audit log. The default.`)
    .option('--since <when>', 'from this time on: ISO 8601, or a duration ago such as 7d')
    .option('--until <when>', 'before this time')
    .option('--brand <slug>', 'only entries about this brand; * for shared records')
    .addOption(
      new Option('--action <action>', 'only entries of this action').choices(
        Object.keys(auditActions),
      ),
    )
    .option('--before <number>', 'only entries with a lower number', wholeNumber)
    .option(
      '--limit <n>',
      `how many of the last entries, up to ${limitMax.toLocaleString('en')}; ${tableEntries} by default, with --json all`,
      limitIn,
    )
    .option('--json', 'print JSON, a line for each entry')
    .action((options: ListOptions) => withAudit((records) => listEntries(records, options)))

  audit
    .command('verify')
    .description(
      'Compute the hashes of all entries again, and print the head of the log: the number and the hash of its last entry. Fails with the first entry that was removed, changed, inserted or moved.',
    )
    .option(
      '--expect <head>',
      'a head that was printed before, which must still be in the log: without it, missing last entries do not show',
      headIn,
    )
    .option('--json', 'print JSON')
    .action((options: VerifyOptions) => withAudit((records) => verify(records, options)))
}

/** Opens the log, and adds the entries that wait in all files of the database. */
const withAudit = (work: (records: Records) => Promise<void>): Promise<void> =>
  withRecords(
    async (records) => {
      const close = await openQueueOutbox(readServiceConfig(), records)
      try {
        await records.audit.chain()
      } finally {
        await close()
      }
      await work(records)
    },
    { repairsSecurity: false },
  )

const listEntries = async ({ audit }: Records, options: ListOptions): Promise<void> => {
  const filter = auditFilter(options, Date.now())
  const { before, json, limit = json ? undefined : tableEntries } = options
  if (limit === undefined) {
    for (let after = 0; ; ) {
      const page = await audit.list({ ...filter, before, after, limit: pageEntries })
      if (page.length === 0 || !(await writeLines(page.map(jsonLine)))) return
      after = page.at(-1)?.number ?? after
    }
  }
  const entries = await audit.list({ ...filter, before, limit })
  const [first] = entries
  await writeLines(
    json ? entries.map(jsonLine) : [first ? tableOf(entries) : 'There are no such entries.'],
  )
  if (!json && first && entries.length === limit) {
    process.stderr.write(`For earlier entries: selvedge audit --before ${first.number}\n`)
  }
}

/** Writes lines, and waits until they are taken. Returns false if their reader has ended. */
const writeLines = async (lines: readonly string[]): Promise<boolean> => {
  const { stdout } = process
  const ignore = () => undefined
  stdout.on('error', ignore)
  const text = lines.map((line) => `${line}\n`).join('')
  const error = await new Promise((resolve) => stdout.write(text, resolve))
  stdout.off('error', ignore)
  return !error
}

/** The text of the entry as it is, since it is what the hash is of. */
const jsonLine = ({ number, previous, hash, text }: ChainedEntry): string =>
  `{"number":${number},"previous":"${previous}","hash":"${hash}","entry":${text}}`

/** Maximum length of a table cell. `--json` has the whole text. */
const cellMax = 60

const tableOf = (entries: readonly ChainedEntry[]): string =>
  asTable(
    ['number', 'time', 'actor', 'action', 'brand', 'subject', 'details'],
    entries.map(({ number, text }) => {
      const { at, actor, actorKind, action, brand, subject, details } = JSON.parse(
        text,
      ) as ReadEntry
      const cell = (value: string) => shorten(logLine(value), cellMax)
      return [
        ...[String(number), at, cell(actorKind === 'operator' ? actor : `${actorKind} ${actor}`)],
        ...[action, brand ?? '-', cell(subject ?? '-')],
        cell(Object.keys(details).length === 0 ? '-' : JSON.stringify(details)),
      ]
    }),
  )

const verify = async (records: Records, { expect, json = false }: VerifyOptions): Promise<void> => {
  const progress = createProgress()
  const verified = await verifyAudit(records, {
    expect,
    onProgress: (entries) => progress.show('audit', entries, 'entries', null),
  })
  const { entries, head, problem } = verified
  if (problem) {
    if (json) createOutput(true).result(verified, String)
    throw new CommandError(
      `${problem.reason} Entries before it that are in order: ${entries.toLocaleString('en')}.`,
    )
  }
  createOutput(json).result(verified, () =>
    [
      `The log is in order. Entries: ${entries.toLocaleString('en')}. Head: ${head}`,
      ...(expect ? [`Entry ${expect.number} is the one that was expected.`] : []),
    ].join('\n'),
  )
}

const wholeNumber = (text: string): number => {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Use a whole number from 1 on.')
}

const limitIn = (text: string): number => {
  const limit = wholeNumber(text)
  if (limit <= limitMax) return limit
  throw new InvalidArgumentError(`Use a number up to ${limitMax}.`)
}

const headIn = (text: string): ChainHead => {
  try {
    return readHead(text)
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}
