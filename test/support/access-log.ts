import { setTimeout as wait } from 'node:timers/promises'
import type { TestService } from './service.ts'

/** A line of the log. */
export interface LogLine {
  readonly [name: string]: unknown
}

export const linesOf = ({ logged }: TestService): readonly LogLine[] =>
  logged.map((line) => JSON.parse(line))

/** The line of a request. It is written after the response, so it may come later than that. */
export const lineOf = async (service: TestService, requestId: string | null): Promise<LogLine> => {
  for (;;) {
    const line = linesOf(service).find(
      (each) => each['requestId'] === requestId && each['msg'] === 'request',
    )
    if (line) return line
    await wait(5)
  }
}
