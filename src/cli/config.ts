import type { Command } from 'commander'
import { nearest } from '#request'
import { checkConfig } from '#server'
import { asTable, createOutput, logLine } from './output.ts'

export const addConfig = (program: Command): void => {
  const config = program.command('config').description('Check the settings of the environment.')

  config
    .command('check')
    .description(
      'Check the values and names of the settings, whether the database, Redis and the image storage can be reached, and who can read and write the files. Changes nothing. Exits with 1 if there is an error.',
    )
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const findings = await checkConfig(nearest)
      const errors = findings.filter(({ state }) => state === 'error').length
      createOutput(Boolean(options.json)).result({ ok: errors === 0, findings }, () =>
        asTable(
          ['state', 'what', 'message'],
          findings.map(({ state, subject, message }) => [state, subject, logLine(message)]),
        ),
      )
      if (errors > 0) process.exitCode = 1
    })
}
