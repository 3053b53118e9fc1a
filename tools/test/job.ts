/**
 * Runs test files in this process, one after the other. The arguments are the output file, which
 * gets a line of JSON per result, and the test files. There is no IPC channel to the parent
 * process, since the program behaves differently in a forked process.
 */
import { openSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { run } from 'node:test'
import { inspect } from 'node:util'

/** The result of a test, or after the last one the resources that are still open. */
export type JobMessage = TestResult | { readonly left: readonly string[] }

export interface TestResult {
  readonly file: string
  readonly name: string
  readonly ms: number
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was skipped. */
  readonly reason: string
}

/** Time limit of one test. */
const timeoutMs = 600_000
/** Time limit for servers and timers of the tests to close after the last test. */
const graceMs = Number(process.env['TEST_GRACE_MS'] ?? 60_000)

const [, , results = '', ...files] = process.argv
const output = openSync(results, 'a')
const send = (message: JobMessage) => writeSync(output, `${JSON.stringify(message)}\n`)

/** Top-level tests that have not ended. */
let running = 0
let lastEventAt = Number.POSITIVE_INFINITY
// The run ends when the event loop is empty. Resources that tests leave open would block that.
setInterval(() => {
  if (running > 0 || performance.now() - lastEventAt < graceMs) return
  send({ left: process.getActiveResourcesInfo() })
  process.exit()
}, 500).unref()

for await (const { type, data } of run({ files, isolation: 'none', timeout: timeoutMs })) {
  lastEventAt = performance.now()
  if (type === 'test:enqueue' && data.nesting === 0) running += 1
  if (type === 'test:complete' && data.nesting === 0) running -= 1
  if (type !== 'test:pass' && type !== 'test:fail') continue
  const { file = '', name, details, skip, todo } = data
  const isSuite = details.type === 'suite'
  const common = { file, name, ms: details.duration_ms }
  if (type === 'test:fail') {
    const { cause, failureType } = details.error
    // A suite fails with its tests. Only the suite reports errors of its hooks.
    if (isSuite && failureType === 'subtestsFailed') continue
    send({ ...common, outcome: 'failed', reason: inspect(cause ?? details.error, { depth: 4 }) })
  } else if (resolve(name) === file) {
    // Node reports a file without tests as a test that passes.
    send({ ...common, outcome: 'failed', reason: 'There is no test.' })
  } else if (!isSuite || skip !== undefined) {
    const reason = skip ?? todo
    const outcome = reason === undefined ? 'passed' : 'skipped'
    send({ ...common, outcome, reason: String(reason) })
  }
}
send({ left: [] })
