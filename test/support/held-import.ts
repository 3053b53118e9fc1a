import { setTimeout as wait } from 'node:timers/promises'
import { DatabaseBusyError, openDatabase } from '#database'
import { ndjson, type Ran, type Sandbox } from './command.ts'
import { idOf, recordsAt } from './model.ts'

/** An import that holds the records' write lock until the test ends it. */
export interface HeldImport {
  /** Whether another writer of records is refused. */
  isHeld(): Promise<boolean>
  /** Lets it read to the end of its input and commit; again, only tells how it ended. */
  end(): Promise<Ran>
}

/** Starts `selvedge import` on an input that does not end, and waits until it holds the lock. */
export const holdImport = async (place: Sandbox, brand: string): Promise<HeldImport> => {
  const database = openDatabase(place.databaseUrl, { writeWaitMs: 1 })
  const isHeld = () =>
    database
      .write(async () => false)
      .catch((error: unknown) => {
        if (error instanceof DatabaseBusyError) return true
        throw error
      })
  const from = ['-', '--collection', 'tags', '--format', 'ndjson']
  const { child, ended } = place.start(['import', ...from, '--brand', brand])
  const [tag] = recordsAt('tags')
  child.stdin?.write(
    ndjson(
      Array.from({ length: 5_000 }, (_, row) => ({
        ...tag,
        id: idOf(9_000 + row),
        name: `held ${row}`,
      })),
    ),
  )
  for (const deadline = performance.now() + 60_000; !(await isHeld()); ) {
    if (performance.now() > deadline || child.exitCode !== null) {
      child.kill()
      const { code, stderr } = await ended
      throw new Error(`The import does not hold the lock; it ended with ${code}: ${stderr}`)
    }
    await wait(20)
  }
  let ending: Promise<Ran> | undefined
  return {
    isHeld,
    end: () => {
      ending ??= (async () => {
        child.stdin?.end()
        const ran = await ended
        await database.close()
        return ran
      })()
      return ending
    },
  }
}
