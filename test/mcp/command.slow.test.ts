/** The command `selvedge mcp`, which serves one agent on standard input and output. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { StdioAgent } from '../support/agent.ts'
import { mainFile } from '../support/command.ts'
import { type Agents, listing, openAgents, order } from '../support/mcp-agents.ts'
import type { TestService } from '../support/service.ts'

let agents: Agents
let service: TestService
before(async () => {
  agents = await openAgents()
  service = agents.service
})
after(() => agents.close())

describe('the command', () => {
  const run = (
    args: readonly string[],
    input: string | null,
    more: { readonly [name: string]: string } = {},
  ): Promise<{ code: number | null; stdout: string; stderr: string }> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [mainFile, 'mcp', ...args], {
        env: { ...agents.environment, ...more },
        cwd: service.folder,
      })
      let stdout = ''
      let stderr = ''
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk
      })
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk
      })
      child.stdin.once('error', () => undefined)
      if (input !== null) child.stdin.end(input)
      child.once('close', (code) => resolve({ code, stdout, stderr }))
    })

  it('responds to every request received before the input ended, then exits', async () => {
    const clientInfo = { name: 'pipe', version: '1' }
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
    const messages = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      listing(2),
      {
        jsonrpc: '2.0',
        id: 3,
        method: 'tools/call',
        params: { name: 'trace_lineage', arguments: { group: 'orders', id: order } },
      },
      { jsonrpc: '2.0', id: 4, method: 'nothing/here' },
    ]
    const lines = [...messages.map((each) => JSON.stringify(each)), '{"broken', ''].join('\n')
    const { code, stdout, stderr } = await run(['--brand', 'aldermoor'], lines)
    assert.equal(code, 0, stderr)
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(answers.map(({ id }) => id).sort(), [1, 2, 3, 4])
    assert.equal(answers.find(({ id }) => id === 4).error.code, -32_601)
    assert.match(stderr, /Selvedge serves aldermoor to one agent/)
  })

  it('reports what it cannot serve before it speaks the protocol', async () => {
    const keyFile = join(service.folder, 'key.txt')
    writeFileSync(keyFile, 'slv_wrong\n')
    const cases: readonly [readonly string[], number, RegExp][] = [
      [[], 2, /Name the brand to read with --brand, or a server with --url/],
      [['--brand', 'nobody'], 1, /There is no brand nobody\./],
      [['--url', 'records.example.com'], 1, /is not an address such as/],
      [['--url', 'http://192.0.2.1'], 1, /is plain HTTP, which would expose the key/],
      [['--url', `${service.url}/api/public/v1/brands/x`], 1, /ends with \/brands\/x/],
      [['--brand', 'aldermoor', '--allow-http'], 2, /--allow-http can only be used with --url/],
      [['--url', service.url, '--timeout', '0s', '--key-file', keyFile], 1, /not a valid timeout/],
      [['--url', service.url], 2, /--url needs an API key, without spaces: in SELVEDGE_KEY/],
      [
        ['--url', service.url, '--key-file', keyFile],
        1,
        /rejected the request: The API key is not valid/,
      ],
      [
        ['--brand', 'aldermoor', '--key-file', keyFile],
        2,
        /--key-file can only be used with --url/,
      ],
      [['--url', 'http://127.0.0.1:1', '--key-file', keyFile], 1, /The connection to .* failed/],
    ]
    await Promise.all(
      cases.map(async ([args, code, words]) => {
        const ran = await run(args, null)
        assert.deepEqual([ran.code, ran.stdout], [code, ''], ran.stderr)
        assert.match(ran.stderr, words)
      }),
    )
    const other = await run(['--url', service.url, '--brand', 'nobody'], null, {
      SELVEDGE_KEY: agents.key,
    })
    assert.match(other.stderr, /The key may not read nobody\. It may read aldermoor\./)
  })

  it('writes nothing but the protocol to standard output', () => {
    for (const transport of ['stdio', 'stdio over http'] as const) {
      assert.match((agents.over(transport) as StdioAgent).said(), /^Selvedge serves aldermoor/)
    }
  })
})
