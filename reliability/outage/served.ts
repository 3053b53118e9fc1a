import { basePath } from '#contract'
import { assertAnswer } from '../../test/support/answers.ts'
import { type Cluster, startCluster } from '../../test/support/cluster.ts'
import { openPostgres, type Postgres } from '../../test/support/postgres.ts'

/** The product in processes of its own, on a PostgreSQL of its own. */
export interface Served {
  readonly postgres: Postgres
  readonly cluster: Cluster
  /** Asks for a path of the demo brand, or for a whole one, and holds the answer to the contract. */
  get(path: string): Promise<{ readonly status: number }>
  close(): Promise<void>
}

export const serveOnPostgres = async (): Promise<Served> => {
  const postgres = await openPostgres()
  try {
    const DATABASE_URL = await postgres.url()
    const cluster = await startCluster({ WORKERS: '2', LOG_LEVEL: 'error', DATABASE_URL })
    return {
      postgres,
      cluster,
      get: async (path) => {
        const url = path.startsWith('/') ? path : `${basePath}/brands/aldermoor/${path}`
        const response = await fetch(cluster.url + url, {
          headers: { authorization: `Bearer ${cluster.key}` },
        })
        const { status, headers } = response
        const text = await response.text()
        const body = text === '' ? null : JSON.parse(text)
        if (url.startsWith(basePath)) assertAnswer('GET', url, { status, headers, text, body })
        return { status }
      },
      close: async () => {
        await cluster.close()
        await postgres.close()
      },
    }
  } catch (error) {
    await postgres.close()
    throw error
  }
}
