/** Sends valid and invalid requests of every kind and checks every response. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { assertAnswer } from '../test/support/answers.ts'
import { openBrandsModel } from '../test/support/brands.ts'
import { seeded } from '../test/support/model.ts'
import { askAll, type WireAnswer } from '../test/support/wire.ts'
import { check, type Outcome, type Task } from './check.ts'
import { type Engine, engineNames, onEngine, patient } from './engine.ts'
import { type FuzzedRequest, issueKeys, openFuzzer } from './fuzz/requests.ts'
import { openServingProcess } from './server-process.ts'

/** The check of one engine, with the number of requests in each form. */
const fuzzCheck = (engine: Engine, requests: { readonly short: number; readonly full: number }) =>
  check({
    id: 'R1',
    claim: `Every response conforms to the contract, whatever the request (${engineNames[engine]}).`,
    target: `Of ${requests.full.toLocaleString('en')} generated requests, every response conforms to the contract (status, body, headers); there is no 5xx, and no key in any log.`,
    sizes: requests,
    try: (count, task) =>
      onEngine(engine, (url) => send(count, url ? { DATABASE_URL: patient(url) } : {}, task)),
  })

export const fuzz = fuzzCheck('sqlite', { short: 4_000, full: 1_000_000 })
export const fuzzPostgres = fuzzCheck('postgres', { short: 800, full: 200_000 })

const send = async (
  count: number,
  environment: { readonly [name: string]: string },
  { seed, log }: Task,
): Promise<Outcome> => {
  const model = openBrandsModel(2)
  const serving = await openServingProcess(model, environment)
  try {
    const keys = await issueKeys(serving.records.keys)
    // The server reads new keys within a second.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const fuzzer = openFuzzer(seed, seeded(seed), model, keys)
    const misses: string[] = []
    const seen = new Map<number, number>()
    let answered = 0
    const maskKeys = (text: string) =>
      keys.all.reduce((all, key) => all.replaceAll(key, '<key>'), text)
    await askAll(serving.url, fuzzer.requests(count), (request, answer) => {
      answered += 1
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
      const problem = problemOf(request, answer, keys.all)
      if (problem) misses.push(maskKeys(`${JSON.stringify(request.wire)}: ${problem}`))
      fuzzer.learn(request, answer)
      if (answered % 50_000 === 0) log(`${answered} answers, ${misses.length} outside the contract`)
    })
    await serving.stop()
    const findings = await serving.searchLog([...keys.all, 'Bearer '])
    for (const key of findings.matches) misses.push(`The log holds a key: ${key.slice(0, 8)}…`)
    for (const line of findings.errors) misses.push(`The log tells of an error: ${line}`)
    if (findings.lines < count)
      misses.push(`The log has ${findings.lines} lines for ${count} requests.`)
    const statuses = [...seen].sort(([one], [other]) => one - other)
    const reported = statuses.map(([status, times]) => `${times.toLocaleString('en')} × ${status}`)
    return {
      measured: `${answered.toLocaleString('en')} requests, ${misses.length} responses outside the contract (${reported.join(', ')}); no key in ${findings.lines.toLocaleString('en')} log lines.`,
      counts: {
        requests: answered,
        outside: misses.length,
        logLines: findings.lines,
        keysLogged: findings.matches.length,
        ...Object.fromEntries(statuses.map(([status, times]) => [`status${status}`, times])),
      },
      misses,
    }
  } finally {
    await serving.close()
  }
}

const decoders = { gzip: gunzipSync, br: brotliDecompressSync }

/** The problem with a response, if any. */
const problemOf = (
  { method, target, expected }: FuzzedRequest,
  answer: WireAnswer,
  keys: readonly string[],
): string | null => {
  const { status, headers } = answer
  if (status !== 429 && !expected.includes(status)) {
    return `${status} instead of ${expected.join(' or ')}: ${answer.text.slice(0, 300)}`
  }
  if (headers.doubled.length > 0) return `${headers.doubled} came twice`
  try {
    const encoding = headers.get('content-encoding') as keyof typeof decoders | null
    const plain = encoding && method !== 'HEAD' ? decoded(answer, decoders[encoding]) : answer
    if (isPage(headers)) return null
    assertAnswer(method, target, plain)
    const shown = keys.find((key) => plain.text.includes(key))
    return shown === undefined ? null : 'it shows a key'
  } catch (error) {
    return (error as Error).message.slice(0, 500)
  }
}

/** The server sends the console at the root. */
const isPage = (headers: WireAnswer['headers']): boolean =>
  headers.get('content-type')?.startsWith('text/html') ?? false

const decoded = ({ status, headers, bytes }: WireAnswer, decode: (bytes: Buffer) => Buffer) => {
  const text = decode(bytes).toString('utf8')
  return { status, headers, text, body: JSON.parse(text) as unknown }
}
