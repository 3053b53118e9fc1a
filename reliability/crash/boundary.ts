/**
 * Loaded with `--import`. Ends its process at boundary number `KILL_AT`, from 1, between two
 * statements of the first writing transaction. A statement of PostgreSQL has two boundaries, after
 * sending and after completion; a statement of SQLite has one.
 */
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { isMainThread } from 'node:worker_threads'
import pg from 'pg'

const killAt = Number(process.env['KILL_AT'])
let writing = false
let passed = 0

const pass = () => {
  if (!writing) return
  passed += 1
  if (passed === killAt) process.kill(process.pid, 'SIGKILL')
}

type Method = (this: object, ...args: never[]) => unknown

const wrap = <Name extends string>(
  type: { readonly prototype: Record<Name, Method> },
  name: Name,
  around: (call: () => unknown, args: readonly unknown[]) => unknown,
) => {
  const method = type.prototype[name]
  type.prototype[name] = function (...args) {
    return around(() => method.apply(this, args), args)
  }
}

const sqliteStatement = (call: () => unknown, [text]: readonly unknown[]) => {
  if (text === 'begin immediate') writing = true
  const result = call()
  pass()
  return result
}

const postgresStatement = (call: () => unknown, [query]: readonly unknown[]) => {
  const text = typeof query === 'string' ? query : (query as { text?: string }).text
  // Read transactions begin with their isolation level.
  if (/^begin(;|$)/.test(text ?? '')) writing = true
  const sent = call() as Promise<unknown> | NodeJS.WritableStream | undefined
  pass()
  // A query with a callback belongs to a request, which writes nothing.
  if (sent === undefined) return sent
  if ('then' in sent) {
    return sent.then((result) => {
      pass()
      return result
    })
  }
  sent.on('finish', pass)
  return sent
}

if (isMainThread) {
  const types = { DatabaseSync, StatementSync, Client: pg.Client } as unknown as Record<
    string,
    { readonly prototype: Record<string, Method> }
  >
  if (types['DatabaseSync']) wrap(types['DatabaseSync'], 'exec', sqliteStatement)
  for (const name of ['run', 'all', 'get']) {
    if (types['StatementSync']) wrap(types['StatementSync'], name, sqliteStatement)
  }
  if (types['Client']) wrap(types['Client'], 'query', postgresStatement)
}
