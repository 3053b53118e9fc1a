import { AsyncLocalStorage } from 'node:async_hooks'
import { type Database, DatabaseError, DatabaseRefusedError, type Session } from '#database'

/** Runs pieces of work in a transaction that other pieces may share. Durable when it resolves. */
export type CombinedWrites = <T>(work: (session: Session) => Promise<T>) => Promise<T>

/** A piece takes back what it has written. */
export class TakenBackError extends Error {}

interface Piece {
  readonly run: (session: Session) => Promise<void>
  readonly settle: () => void
  readonly fail: (error: unknown) => void
}

/** More pieces are committed one group after the other. */
const piecesMax = 100

/**
 * What is asked for while a transaction runs is done together in the next one: a flush of the disk for
 * each would take most of the time. A piece that fails by itself does so before it writes anything, or
 * throws `TakenBackError`. After that, and if the database refuses a value, each piece is run again
 * alone; other errors of the database fail all of them.
 */
export const combineWrites = (database: Database): CombinedWrites => {
  const waiting: Piece[] = []
  let isRunning = false

  const commit = async (pieces: readonly Piece[]): Promise<void> => {
    try {
      await database.write(async (session) => {
        for (const piece of pieces) await piece.run(session)
      })
      for (const piece of pieces) piece.settle()
    } catch (error) {
      if (isOfOnePiece(error) && pieces.length > 1) {
        for (const piece of pieces) await commit([piece])
      } else for (const piece of pieces) piece.fail(error)
    }
  }

  const run = async () => {
    isRunning = true
    while (waiting.length > 0) await commit(waiting.splice(0, piecesMax))
    isRunning = false
  }

  return (work) =>
    new Promise((resolve, reject) => {
      let settle: () => void = () => undefined
      waiting.push({
        // The audit log asks who acts in the context of the call, not of the one that began the group.
        run: AsyncLocalStorage.bind(async (session: Session) => {
          try {
            const result = await work(session)
            settle = () => resolve(result)
          } catch (error) {
            if (error instanceof DatabaseError || error instanceof TakenBackError) throw error
            settle = () => reject(error)
          }
        }),
        settle: () => settle(),
        fail: reject,
      })
      if (!isRunning) void run()
    })
}

const isOfOnePiece = (error: unknown): boolean =>
  error instanceof DatabaseRefusedError || error instanceof TakenBackError
