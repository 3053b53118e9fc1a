import { type Command, Option } from 'commander'
import { plainText } from '#ingest'
import type { IntakeSource } from '#intake'
import { listSources } from '#operator'
import { type SourceKind, sharedOwner } from '#store'
import { formatDuration } from './durations.ts'
import { asTable, CommandError, createOutput, logLine } from './output.ts'
import { operatorOf, withRecords } from './records.ts'

interface ListOptions {
  readonly brand?: string
  readonly json?: boolean
}

interface RemoveOptions {
  readonly brand?: string
  readonly kind: SourceKind
  readonly json?: boolean
}

export const addSources = (program: Command): void => {
  const sources = program
    .command('sources')
    .description('Show where records come from: watched folders, databases and requests.')

  sources
    .command('list', { isDefault: true })
    .description('List the sources: their state, lag and last error. The default.')
    .option('--brand <slug>', 'only the sources of this brand')
    .option('--json', 'print JSON')
    .action((options: ListOptions) =>
      withRecords(
        async (records) => {
          const all = await listSources(operatorOf(records), options.brand)
          createOutput(Boolean(options.json)).result(all, () =>
            all.length === 0
              ? 'There are no sources. A source is listed once it has been read: selvedge sync, selvedge watch.'
              : asTable(
                  [
                    ...['brand', 'kind', 'source', 'state', 'last success', 'lag'],
                    ...[
                      'waiting',
                      'quarantined',
                      'quarantined rows',
                      'processed',
                      'failed',
                      'error',
                    ],
                  ],
                  all.map((each) => rowOf(each, Date.now())),
                ),
          )
        },
        { repairsSecurity: false },
      ),
    )

  sources
    .command('remove')
    .description(
      'Forget the state of a source that is no longer used. Its records stay. If it is used again, it starts from the beginning.',
    )
    .argument('<source>', 'its name, as listed')
    .addOption(
      new Option('--kind <kind>', 'its kind, as listed')
        .choices(['watch', 'sync', 'ingest'])
        .makeOptionMandatory(),
    )
    .option('--brand <slug>', 'its brand; without one, the source of shared records')
    .option('--json', 'print JSON')
    .action((name: string, { brand = sharedOwner, kind, json }: RemoveOptions) =>
      withRecords(async ({ store }) => {
        if (await store.sources.remove(brand, { kind, name })) {
          createOutput(Boolean(json)).result(
            { removed: { brand, kind, name } },
            () => `Removed the state of ${plainText(name)}.`,
          )
          return
        }
        throw new CommandError(
          `There is no source ${plainText(name)} of this kind and brand. See: selvedge sources`,
        )
      }),
    )
}

const rowOf = (each: IntakeSource, now: number): readonly string[] => [
  each.brand,
  each.kind,
  plainText(each.name),
  each.state,
  each.succeededAt ?? '-',
  each.behindSince === null ? '-' : formatDuration(Math.max(0, now - Date.parse(each.behindSince))),
  ...[each.waiting, each.quarantined, each.quarantinedRows].map(String),
  ...[each.processed, each.failed].map(String),
  logLine(each.error ?? ''),
]
