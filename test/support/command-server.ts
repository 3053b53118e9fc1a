/** Commands of shell scripts within this process: a program on their path asks for them over a socket. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runHere } from './run-here.ts'

export interface CommandServer {
  /** The text of a program that runs its arguments as a command here, and ends as that does. */
  readonly program: string
  close(): Promise<void>
}

interface CommandRequest {
  readonly args: readonly string[]
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
  readonly input: string
}

/** The interpreter itself: what is on the path may be a script that looks for it. */
const findPython = (): string =>
  execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()

const programFor = (address: string): string => `#!${findPython()} -SE
import base64, json, os, signal, socket, sys

signal.signal(signal.SIGPIPE, signal.SIG_DFL)
server = socket.socket(socket.AF_UNIX)
server.connect(${JSON.stringify(address)})
request = {
    "args": sys.argv[1:],
    "folder": os.getcwd(),
    "environment": dict(os.environ),
    "input": base64.b64encode(sys.stdin.buffer.read()).decode(),
}
server.sendall(json.dumps(request).encode())
server.shutdown(socket.SHUT_WR)
for line in server.makefile():
    said = json.loads(line)
    if "code" in said:
        sys.exit(said["code"])
    os.write(1 if said["name"] == "stdout" else 2, base64.b64decode(said["chunk"]))
sys.exit(70)
`

const respond = async (socket: Socket): Promise<void> => {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)))
  await once(socket, 'end')
  const { args, folder, environment, input }: CommandRequest = JSON.parse(
    Buffer.concat(chunks).toString(),
  )
  const send = (message: object) => socket.write(`${JSON.stringify(message)}\n`)
  const { code } = await runHere(args, {
    environment,
    folder,
    input: Buffer.from(input, 'base64'),
    onOutput: (name, chunk) => send({ name, chunk: chunk.toString('base64') }),
  })
  send({ code })
  socket.end()
}

export const openCommandServer = async (): Promise<CommandServer> => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-commands-'))
  const address = join(folder, 'socket')
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    // A script that was ended does not wait for the rest.
    socket.on('error', () => undefined)
    respond(socket).catch((error) => socket.destroy(error))
  })
  await new Promise<void>((listening) => server.listen(address, listening))
  return {
    program: programFor(address),
    close: async () => {
      await new Promise((closed) => server.close(closed))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
