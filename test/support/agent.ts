/** Agents: the protocol's own client, over HTTP and over the pipes of a child process. */
import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { errors } from '#contract'
import { resultMax } from '#mcp'
import { mainFile } from './command.ts'

/** The revision with a handshake, and the one without. */
export const eras = { handshake: 'legacy', stateless: { pin: '2026-07-28' } } as const
export type Era = keyof typeof eras

// biome-ignore lint/suspicious/noExplicitAny: tests read results freely
export type Free = any

export interface Agent {
  readonly client: Client
  /** The result of a call that succeeds, bounded and equal in both of its forms. */
  ask(tool: string, input?: object): Promise<Free>
  /** The error of a call that is refused. */
  refused(tool: string, input?: object): Promise<Free>
  close(): Promise<void>
}

const newClient = (era: Era): Client =>
  new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: eras[era] } })

const agentOf = (client: Client): Agent => {
  const call = async (tool: string, input: object = {}): Promise<Free> =>
    client.callTool({ name: tool, arguments: input as { [name: string]: unknown } })
  return {
    client,
    ask: async (tool, input) => {
      const { content, structuredContent, isError } = await call(tool, input)
      const [{ text }] = content
      assert.ok(!isError, text)
      assert.deepEqual(JSON.parse(text), structuredContent)
      assert.ok(text.length <= resultMax, `${tool} answers with ${text.length} characters`)
      assert.match(structuredContent.summary, /\.$/)
      return structuredContent
    },
    refused: async (tool, input) => {
      const { content, isError, structuredContent } = await call(tool, input)
      const [{ text }] = content
      assert.equal(isError, true, text)
      assert.equal(structuredContent, undefined)
      assert.doesNotMatch(text, /\bat .*\.ts:\d+|node_modules|node:internal/)
      const error = JSON.parse(text)
      assert.ok(Object.hasOwn(errors, error.errorCode), text)
      return error
    },
    close: () => client.close(),
  }
}

export const httpAgent = async (
  url: string,
  key: string,
  era: Era = 'handshake',
  headers: { readonly [name: string]: string } = {},
): Promise<Agent> => {
  const client = newClient(era)
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
  })
  await client.connect(transport as never)
  return agentOf(client)
}

export interface StdioAgent extends Agent {
  /** What the program has said beside the protocol. */
  readonly said: () => string
}

export const stdioAgent = async (
  args: readonly string[],
  environment: { readonly [name: string]: string },
  era: Era = 'handshake',
): Promise<StdioAgent> => {
  const client = newClient(era)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [mainFile, 'mcp', ...args],
    env: { ...environment },
    stderr: 'pipe',
  })
  let said = ''
  transport.stderr?.on('data', (chunk: Buffer) => {
    said += chunk
  })
  await client.connect(transport as never)
  return { ...agentOf(client), said: () => said }
}
