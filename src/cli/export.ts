import { hash } from 'node:crypto'
import { type Command, Option } from 'commander'
import { formatCount, wholeScope } from '#contract'
import { createFeedCursors } from '#cursors'
import { type ExportFormat, exportBrand, exportFormats } from '#export'
import { requireBrand } from '#operator'
import { asTable, createOutput } from './output.ts'
import { createProgress } from './progress.ts'
import { withRecords } from './records.ts'

interface ExportOptions {
  readonly brand: string
  readonly format: ExportFormat
  readonly json?: boolean
}

export const addExport = (program: Command): void => {
  program
    .command('export')
    .description("Export all of a brand's records to files, from one snapshot.")
    .argument('<folder>', 'the folder for the files; an interrupted export is resumed')
    .requiredOption('--brand <slug>', 'the brand (required)')
    .addOption(
      new Option('--format <format>', 'the format of the files')
        .choices(exportFormats)
        .default('ndjson'),
    )
    .option('--json', 'print JSON')
    .action((folder: string, options: ExportOptions) =>
      withRecords(async ({ store, secret }) => {
        await requireBrand(store, options.brand)
        const progress = createProgress()
        const manifest = await exportBrand({
          store,
          folder,
          brand: options.brand,
          format: options.format,
          database: hash('sha256', `database ${secret}`).slice(0, 16),
          feedCursor: (position) =>
            createFeedCursors(secret).seal(
              { brand: options.brand, collection: null, scope: wholeScope },
              position,
            ),
          now: Date.now,
          onProgress: ({ collection, records, total, done, reused }) => {
            if (options.json) return
            if (!done) progress.show(collection, records, 'records', total ? records / total : null)
            else if (reused) process.stderr.write(`${collection}: unchanged, kept\n`)
            else if (records > 0) progress.end(collection, records, 'records')
          },
        })
        const records = manifest.files.reduce((sum, file) => sum + file.records, 0)
        createOutput(Boolean(options.json)).result(manifest, () =>
          [
            asTable(
              ['file', 'records', 'bytes'],
              manifest.files
                .filter((file) => file.records > 0)
                .map((file) => [file.file, String(file.records), String(file.bytes)]),
            ),
            '',
            `Exported ${formatCount(records, 'record')} to ${folder}. manifest.json has the checksums of the files.`,
          ].join('\n'),
        )
      }),
    )
}
