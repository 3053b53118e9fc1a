import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { type ApiError, wholeScope } from '#contract'
import { nextTurn } from '#reading'
import { cut, nearest, toApiError } from '#request'
import { argumentsSchema, readArguments } from './arguments.ts'
import { callerOf } from './caller.ts'
import { type Caller, resultSchema, type Tool } from './tool.ts'
import { instructions, tools } from './tools.ts'

/** The client that sends the calls, with hooks around each call. */
export interface Client extends Caller {
  /** Runs before each tool call. Throws if no more calls are allowed. */
  begin?(tool: string): Promise<void>
  /** Runs after a failed call. */
  failed?(error: ApiError): void
}

export interface McpParts {
  readonly release: string
}

const byName = new Map(tools.map((tool) => [tool.name, tool]))

const described = tools.map((tool) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: argumentsSchema(tool.arguments),
  outputSchema: resultSchema(tool),
  annotations: {
    title: tool.title,
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
}))

/** The protocol server with all tools, for one client. */
export const serverFor = ({ release }: McpParts, client: Client): Server => {
  const server = new Server(
    { name: 'selvedge', title: 'Selvedge', version: release },
    { capabilities: { tools: {} }, instructions },
  )
  server.setRequestHandler('tools/list', async () => ({ tools: described as never }))
  server.setRequestHandler('tools/call', ({ params }) =>
    call(client, params.name, params.arguments),
  )
  return server
}

const call = async (client: Client, name: string, args: unknown): Promise<CallToolResult> => {
  const tool = byName.get(name)
  if (!tool) throw unknownTool(name)
  try {
    // The calls of a batch start together; each yields to the event loop first.
    await nextTurn()
    await client.begin?.(name)
    const result = await tool.run(readArguments(tool.arguments, args), client)
    return {
      content: [{ type: 'text', text: JSON.stringify(result) }],
      structuredContent: result as never,
    }
  } catch (thrown) {
    const error = toApiError(thrown)
    client.failed?.(error)
    return { isError: true, content: [{ type: 'text', text: errorText(tool, error) }] }
  }
}

/** An error in the format of the API's error bodies. */
const errorText = (
  { name }: Tool,
  { message, code, details, retryAfterSeconds }: ApiError,
): string =>
  JSON.stringify({
    error: message,
    errorCode: code,
    ...(details !== undefined && { details }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    tool: name,
  })

const unknownTool = (name: string): ProtocolError => {
  const names = [...byName.keys()]
  const meant = nearest(name, names)
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool ${JSON.stringify(cut(name))}. ${meant ? `Did you mean ${meant}? ` : ''}The tools are ${names.join(', ')}.`,
  )
}

/**
 * Responds to one message or one batch over HTTP, without sessions and streams: every response is
 * one JSON body, in any protocol revision. The library would open a stream only for notifications
 * during a call, and no tool sends any.
 */
export const answerHttp = async (
  parts: McpParts,
  client: Client,
  request: Request,
  body: unknown,
): Promise<Response> => {
  const parsed = body === undefined ? {} : { parsedBody: body }
  if (await isLegacyRequest(request, body)) {
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    const server = serverFor(parts, client)
    await server.connect(transport)
    try {
      return await transport.handleRequest(request, parsed)
    } finally {
      await server.close()
    }
  }
  const handler = createMcpHandler(() => serverFor(parts, client), {
    legacy: 'reject',
    // The list of tools never changes, so there is nothing to subscribe to.
    maxSubscriptions: 0,
  })
  return handler.fetch(request, parsed)
}

/** Answers a message of no agent, so that the first one of an agent finds everything compiled. */
export const prepareHttp = async (): Promise<void> => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const request = new Request('http://selvedge/mcp', {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })
  const reader = () => Promise.reject(new RangeError('No message reads a brand here.'))
  const nobody = callerOf({ scope: wholeScope, brands: async () => [], reader })
  const response = await answerHttp({ release: '' }, nobody, request, body)
  await response.arrayBuffer()
}
