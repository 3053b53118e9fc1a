/** The single executable: the command line, and the programs of its forked processes. */
import { forkedProgram } from '#installation'

const programs: { readonly [path: string]: () => Promise<unknown> } = {
  'cli/worker-main.ts': () => import('./worker-main.ts'),
  'cli/admin-main.ts': () => import('./admin-main.ts'),
  'cli/ingest-main.ts': () => import('./ingest-main.ts'),
  'cli/stand-in-process.ts': () => import('./stand-in-process.ts'),
}

const forked = programs[forkedProgram(process.argv[2]) ?? '']
await (forked ? forked() : import('./main.ts'))
