/** Agents that talk to one service over every transport and in both revisions of the protocol. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type Agent, type Free, httpAgent, stdioAgent } from './agent.ts'
import { type HttpResponse, responseOf } from './http-response.ts'
import { openTestService, type TestService } from './service.ts'

export const transports = [
  'http',
  'http stateless',
  'stdio',
  'stdio stateless',
  'stdio over http',
] as const

type TransportName = (typeof transports)[number]

export interface Agents {
  readonly service: TestService
  readonly key: string
  /** The environment of child processes. */
  readonly environment: { readonly [name: string]: string }
  over(transport: TransportName): Agent
  ask(tool: string, args?: object): Promise<Free>
  refused(tool: string, args?: object): Promise<Free>
  /** The same call over every transport, which must have the same result. */
  askAll(tool: string, args?: object): Promise<Free>
  refusedAll(tool: string, args?: object): Promise<Free>
  /** Sends a message over HTTP as it is. */
  post(message: unknown, headers?: { readonly [name: string]: string }): Promise<HttpResponse>
  close(): Promise<void>
}

/** The order of the demo story that most tests start from. */
export const order = '0465aaa1-f611-4100-8183-c96543dd62a3'

export const openAgents = async (): Promise<Agents> => {
  const service = await openTestService()
  const key = await service.key('aldermoor')
  const environment = {
    DATABASE_URL: `sqlite:${join(service.folder, 'selvedge.db')}`,
    NODE_COMPILE_CACHE: join(service.folder, 'compiled'),
  }
  const opened: readonly Agent[] = await Promise.all([
    httpAgent(service.url, key),
    httpAgent(service.url, key, 'stateless'),
    stdioAgent(['--brand', 'aldermoor'], environment),
    stdioAgent(['--brand', 'aldermoor'], environment, 'stateless'),
    stdioAgent(['--url', service.url], { ...environment, SELVEDGE_KEY: key }),
  ])
  const over = (transport: TransportName) => opened[transports.indexOf(transport)] as Agent
  const sameOf = async (results: readonly Promise<Free>[]): Promise<Free> => {
    const [first, ...others] = await Promise.all(results)
    for (const other of others) assert.deepEqual(other, first)
    return first
  }
  return {
    service,
    key,
    environment,
    over,
    ask: (tool, args) => over('http').ask(tool, args),
    refused: (tool, args) => over('http').refused(tool, args),
    askAll: (tool, args) => sameOf(opened.map((agent) => agent.ask(tool, args))),
    refusedAll: (tool, args) => sameOf(opened.map((agent) => agent.refused(tool, args))),
    post: async (message, headers = {}) => {
      const response = await fetch(`${service.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: typeof message === 'string' ? message : JSON.stringify(message),
      })
      return responseOf(response)
    },
    close: async () => {
      for (const agent of opened) await agent.close()
      await service.close()
    },
  }
}

/** The message that lists the first record of a group. */
export const listing = (id: number, group = 'tags') => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'list_records', arguments: { group, limit: 1 } },
})
