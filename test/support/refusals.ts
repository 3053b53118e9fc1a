/** Requests that a server must refuse because of their parameters. */
import assert from 'node:assert/strict'
import type { TestService } from './service.ts'

interface Detail {
  readonly parameter: string
  readonly issue: string
}

export const createRefusals = (service: TestService) => {
  /** Sends a request that must be refused for its parameters, and returns the details. */
  const refused = async (
    path: string,
    code = 'invalid_parameter',
  ): Promise<readonly [...Detail[]]> => {
    const { status, body } = await service.get(path)
    const where = `${path.slice(0, 200)} → ${status} ${JSON.stringify(body).slice(0, 300)}`
    assert.equal(status, 400, where)
    assert.equal(body.errorCode, code, where)
    assert.ok(Array.isArray(body.details) && body.details.length > 0, where)
    assert.ok(body.details.length <= 50, where)
    for (const { parameter, issue } of body.details as Detail[]) {
      assert.equal(typeof parameter, 'string', where)
      assert.ok(parameter.length <= 101, where)
      assert.match(issue, /^\S.*\S$/su, where)
    }
    return body.details
  }

  /** A refusal that names exactly these parameters. */
  const refusedFor = async (path: string, ...parameters: readonly string[]): Promise<void> => {
    const details = await refused(path)
    const names = details.map(({ parameter }) => parameter)
    assert.deepEqual(names, parameters, path.slice(0, 200))
  }

  /** The total of a list that must not be refused. */
  const total = async (path: string): Promise<number> => {
    const { status, body, text } = await service.get(path)
    assert.equal(status, 200, `${path.slice(0, 200)} → ${text.slice(0, 300)}`)
    return body.totalItems
  }

  return { refused, refusedFor, total }
}
