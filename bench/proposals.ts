/**
 * How good the proposals of `selvedge map init` are: for public schemas, each with a gold mapping
 * that was written first, the fields that are right, wrong, open and missing, and the lines that are
 * called certain. `--schema <name>` does one of them, `--proposals <folder>` keeps what was proposed.
 * A run over all schemas also writes the page with all errors. Exits with 1 if a target is missed.
 */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openPostgres } from '../test/support/postgres.ts'
import { inSandbox } from '../tools/sandbox.ts'
import { readBenchOptions, text } from './options.ts'
import { figuresOf, meetsTargets, targets } from './proposals/figures.ts'
import { readGold, readUsual } from './proposals/gold.ts'
import { errorsOf, pageOf, type SchemaResult } from './proposals/page.ts'
import { loadSchema, proposeFor } from './proposals/proposed.ts'
import { schemaNames, schemasFolder } from './proposals/schemas.ts'
import { type ScoredLine, scoreProposal } from './proposals/score.ts'
import { publish, resultsFolder } from './results.ts'
import { tableOf } from './table.ts'

const pageFile = fileURLToPath(new URL('../docs/explanation/proposals.md', import.meta.url))

export const runProposals = (args: readonly string[]): Promise<number> => {
  const options = readBenchOptions(args, { schema: text(''), proposals: text('') })
  return inSandbox(async (sandbox) => {
    const usual = readUsual(schemasFolder)
    const postgres = await openPostgres()
    sandbox.onClose(() => postgres.close())
    const schemas: SchemaResult[] = []
    const scored: ScoredLine[] = []
    const scoredHeldOut: ScoredLine[] = []
    for (const name of schemaNames(options.schema)) {
      const folder = join(schemasFolder, name)
      const schema = await sandbox.step(name, async () => {
        const gold = readGold(folder, usual)
        const url = await postgres.url(name.replaceAll(/\W/g, '_'))
        const source = await loadSchema(url, [
          join(schemasFolder, 'helpers.sql'),
          join(folder, 'schema.sql'),
        ])
        const proposal = await proposeFor(url, gold)
        if (options.proposals !== '')
          writeFileSync(join(options.proposals, `${gold.name}.map.yaml`), proposal.text)
        const lines = scoreProposal(gold, proposal.mappings, source)
        const isHeldOut = name.includes('/')
        scored.push(...lines)
        if (isHeldOut) scoredHeldOut.push(...lines)
        return {
          ...{ name: gold.name, note: gold.note, source: gold.source },
          ...{ isHeldOut, figures: figuresOf(lines) },
          errors: errorsOf(lines),
        }
      })
      schemas.push(schema)
    }
    const heldOut = scoredHeldOut.length > 0 ? figuresOf(scoredHeldOut) : null
    const result = { all: figuresOf(scored), heldOut, schemas }
    const percent = (value: number) => `${value.toFixed(1)} %`
    const report = tableOf(
      [
        '',
        'fields',
        'right',
        'wrong',
        'open',
        'missing',
        'right',
        'certain',
        'wrong',
        'keys wrong',
      ],
      [...schemas, { name: 'all', figures: result.all }].map(({ name, figures }) => [
        ...[name, String(figures.fields), String(figures.right), String(figures.wrong)],
        ...[String(figures.open), String(figures.missing), percent(figures.rightPercent)],
        ...[percent(figures.certainPercent), String(figures.wrongCertain)],
        String(figures.wrongKeys),
      ]),
    )
    const isPublished = options.schema === '' && options.out === resultsFolder
    if (isPublished) writeFileSync(pageFile, pageOf(result))
    publish(sandbox, options, 'proposals', { ...result, targets }, report)
    return meetsTargets(result.all) ? 0 : 1
  })
}
