import type { Command } from 'commander'
import type { OperatorFeedReader, OperatorHealth, OperatorStorage } from '#contract'
import { plainText } from '#ingest'
import { listFeedReaders, readHealth, readStorage } from '#operator'
import { openServiceImages, type Records, readServiceConfig } from '#server'
import { formatDuration } from './durations.ts'
import { asTable, createOutput, logLine } from './output.ts'
import { operatorOf, withRecords } from './records.ts'

/** What `selvedge status` prints. */
interface Status {
  readonly health: OperatorHealth
  readonly storage: OperatorStorage
  readonly feedReaders: readonly OperatorFeedReader[]
}

/** Readers of the change feed that are printed. */
const readersMax = 1_000

export const addStatus = (program: Command): void => {
  program
    .command('status')
    .description(
      'Show the state of an installation: its parts, its storage, the last backup and who reads the change feed. Exits with 1 if a part does not work.',
    )
    .option('--json', 'print JSON')
    .action(({ json = false }: { json?: boolean }) =>
      withRecords(
        async (records) => {
          const status = await readStatus(records)
          createOutput(json).result(status, () => describe(status))
          if (status.health.parts.some(({ state }) => state === 'error')) process.exitCode = 1
        },
        // Reads only, and waits for no import.
        { repairsSecurity: false },
      ),
    )
}

const readStatus = async (records: Records): Promise<Status> => {
  const config = readServiceConfig()
  const parts = operatorOf(records)
  const { redisUrl, imagesUrl } = config
  const openImages = () => openServiceImages(config, records.secret, () => '')
  const feedReaders: OperatorFeedReader[] = []
  for (let cursor: string | undefined; feedReaders.length < readersMax; ) {
    const { items, nextCursor } = await listFeedReaders(parts, { cursor })
    feedReaders.push(...items)
    if (nextCursor === null) break
    cursor = nextCursor
  }
  return {
    health: await readHealth({ ...parts, redisUrl, imagesUrl, openImages }),
    storage: await readStorage(parts),
    feedReaders,
  }
}

const describe = ({ health, storage, feedReaders }: Status): string =>
  [
    ...healthTables(health),
    ...storageTables(storage),
    feedReaders.length === 0
      ? 'No key has read the change feed.'
      : asTable(
          ['brand', 'key', 'name', 'collection', 'last read', 'changes behind', 'behind for'],
          feedReaders.map(readerRow),
        ),
  ].join('\n\n')

const healthTables = ({ parts, hosts }: OperatorHealth): readonly string[] => [
  asTable(
    ['part', 'state', 'message'],
    parts.map(({ part, state, message }) => [part, state, logLine(message)]),
  ),
  ...(hosts.length === 0
    ? []
    : [
        asTable(
          ['host', 'role', 'lag', 'left out', 'reason'],
          hosts.map(({ name, role, lagSeconds, leftOut, reason }) => [
            ...[name, role, formatDuration(lagSeconds * 1_000), leftOut ?? '-'],
            logLine(reason ?? '-'),
          ]),
        ),
      ]),
]

const storageTables = (storage: OperatorStorage): readonly string[] => {
  const { files, tables, bytes, walBytes, freeBytes, oldestSnapshotSeconds } = storage
  const { lastBackup } = storage
  return [
    asTable(
      ['storage', 'bytes'],
      [
        ['database', number(bytes)],
        ['write-ahead log', walBytes === null ? 'not known' : number(walBytes)],
        ...(freeBytes === null ? [] : [['free on the disk', number(freeBytes)]]),
      ],
    ),
    ...(files.length === 0
      ? []
      : [
          asTable(
            ['file', 'path', 'bytes', 'write-ahead log'],
            files.map(({ name, path, ...file }) => [
              ...[name, plainText(path), number(file.bytes), number(file.walBytes)],
            ]),
          ),
        ]),
    ...(tables.length === 0
      ? []
      : [
          asTable(
            ['table', 'about bytes', 'about rows'],
            tables.map(({ name, aboutBytes, aboutRows }) => [
              ...[name, number(aboutBytes), number(aboutRows)],
            ]),
          ),
        ]),
    ...(oldestSnapshotSeconds === null
      ? []
      : [`Oldest snapshot: ${formatDuration(oldestSnapshotSeconds * 1_000)}.`]),
    lastBackup
      ? `Last backup: ${lastBackup.at}, ${number(lastBackup.bytes)} bytes, ${plainText(lastBackup.target)}.`
      : 'No backup was made yet: selvedge backup',
  ]
}

const number = (value: number): string => value.toLocaleString('en')

const readerRow = (reader: OperatorFeedReader): readonly string[] => {
  const { lagChanges, hasMoreChanges, lagSeconds } = reader
  // Its position is from before a restore.
  const isLost = lagChanges === 0 && hasMoreChanges
  return [
    ...[reader.brand, reader.keyId, plainText(reader.keyName ?? '-')],
    ...[reader.collection ?? 'all', reader.readAt],
    isLost ? 'all' : `${hasMoreChanges ? 'more than ' : ''}${number(lagChanges)}`,
    isLost ? 'has to read everything again' : behindFor(lagSeconds),
  ]
}

const behindFor = (lagSeconds: number | null): string => {
  if (lagSeconds === null) return 'never caught up'
  return lagSeconds === 0 ? '-' : `at most ${formatDuration(lagSeconds * 1_000)}`
}
