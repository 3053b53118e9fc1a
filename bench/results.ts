import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Sandbox } from '../tools/sandbox.ts'
import type { Output } from './options.ts'

export const resultsFolder = fileURLToPath(new URL('results', import.meta.url))

/** What was measured on: figures are not to be compared without it. */
export const machine = () => ({
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 2 ** 30),
  system: `${process.platform} ${process.arch} ${release()}`,
  node: process.version,
  /** Others at work on the machine show here. */
  loadBefore: loadavg().map((load) => Math.round(load * 100) / 100),
})

export const commandOf = (script: string, args: readonly string[]): string =>
  ['npm run', script, ...(args.length > 0 ? ['--', ...args] : [])].join(' ')

/** With it, missed targets are reported and the exit code is 0. */
export const reportOnly = '--report-only'

/** Writes the result of a benchmark, and prints it as JSON or as a report. Returns its file. */
export const publish = (
  { log }: Sandbox,
  { json, out, machine: on }: Output,
  name: string,
  figures: object,
  report: string,
): string => {
  const date = new Date().toISOString()
  const args = process.argv.slice(2).filter((each) => each !== reportOnly)
  const result = { date, command: commandOf('bench', args), machine: on, ...figures }
  const file = writeResult(out, name, result)
  console.log(json ? JSON.stringify(rounded(result)) : report)
  log(`The result is in ${file}`)
  return file
}

/** Writes a result under the day's date and the next number that is free. */
export const writeResult = (
  folder: string,
  name: string,
  result: object,
  date = new Date(),
): string => {
  mkdirSync(folder, { recursive: true })
  const day = `${date.toISOString().slice(0, 10)}-${name}`
  const files = readdirSync(folder)
  let number = 1
  while (files.includes(`${day}-${number}.json`)) number += 1
  const file = join(folder, `${day}-${number}.json`)
  writeFileSync(file, `${JSON.stringify(rounded(result), null, 2)}\n`)
  return file
}

/** Four digits are more than any measurement here is worth. */
export const rounded = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each) =>
      typeof each === 'number' && !Number.isInteger(each) ? Number(each.toPrecision(4)) : each,
    ),
  )
