/** Readers of pages for the ingest benchmark. */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { type LoadThread, serveLoads, startLoadThread } from './load-thread.ts'

export interface ReadersTarget {
  readonly port: number
  readonly headers: { readonly authorization: string }
}

export interface PagesLoad {
  readonly paths: readonly string[]
  readonly seconds: number
}

const connections = 16

/** Requests pages at a steady rate, without waiting for earlier responses, and times each. */
const readPages = async (
  target: ReadersTarget,
  { paths, seconds }: PagesLoad,
): Promise<readonly number[]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const everyMs = (seconds * 1_000) / paths.length
  const began = performance.now()
  const pages: Promise<number>[] = []
  for (const [index, path] of paths.entries()) {
    const early = began + index * everyMs - performance.now()
    if (early > 0) await wait(early)
    pages.push(readPage(agent, target, path))
  }
  const ms = await Promise.all(pages)
  agent.destroy()
  return ms
}

const readPage = async (
  agent: Agent,
  { port, headers }: ReadersTarget,
  path: string,
): Promise<number> => {
  const began = performance.now()
  const sent = request({ agent, port, host: '127.0.0.1', path, headers })
  sent.end()
  const [response] = await once(sent, 'response')
  response.resume()
  await once(response, 'end')
  if (response.statusCode !== 200) throw new Error(`${path} was answered ${response.statusCode}.`)
  return performance.now() - began
}

export const startReaders = (
  target: ReadersTarget,
): Promise<LoadThread<PagesLoad, readonly number[]>> => startLoadThread(import.meta.url, target)

serveLoads(import.meta.url, readPages)
