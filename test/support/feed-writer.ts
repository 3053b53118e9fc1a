/**
 * An importer of its own: it adds, changes, replaces and removes records of one owner, at random,
 * in as many runs as its arguments say, some of which fail at the end. Each record names its
 * writer and its run.
 */
import { catalog, resourceAt } from '#contract'
import { openRecords } from '#server'
import { idOf, recordsAt, seeded } from './model.ts'

const [, , databaseUrl = '', owner = '', paths = '', seedText = '', runs = ''] = process.argv
const draw = seeded(Number(seedText))
const records = await openRecords({ databaseUrl })
/** Identities that writers of one owner share, so that they change each other's records. */
const many = 60

const sampleOf = (path: string, number: number, run: number): object => {
  const [sample = {}] = recordsAt(path)
  const said = `${owner} ${seedText} ${run}`
  // A relation of products is identified by three fields, one of them any text.
  if (path === 'product-relations') {
    const kind = number % 2 === 0 ? 'a, b' : 'a'
    return { ...sample, productId: idOf(number % 7), relatedProductId: idOf(number), kind }
  }
  return { ...sample, id: idOf(number), name: said }
}

const keyAt = (path: string, record: { readonly [name: string]: unknown }): string[] =>
  resourceAt(catalog, path).key.map((name) => String(record[name]))

const writeSome = async (run: number): Promise<void> => {
  await records.store.write(owner, async (writer) => {
    for (const path of paths.split(',').filter(() => draw(3) > 0)) {
      const resource = resourceAt(catalog, path)
      const chosen = new Set(Array.from({ length: draw(25) }, () => draw(many)))
      const made = [...chosen].map((number) => sampleOf(path, number, run))
      const replace = draw(8) === 0
      const leaving =
        !replace && draw(2) === 0 ? Array.from({ length: draw(8) }, () => draw(many)) : []
      await writer.stage(resource, made as never)
      await writer.stageRemoval(
        resource,
        [...new Set(leaving)].map((number) => keyAt(path, sampleOf(path, number, run) as never)),
      )
      await writer.merge(resource, { replace })
    }
    if (draw(6) === 0) throw new RangeError('This run is undone.')
  })
}

for (let run = 1; run <= Number(runs); run += 1) {
  await writeSome(run).catch((error: Error) => {
    // Another importer may have held the database for long on a busy machine.
    if (!/undone|Another import/.test(error.message)) throw error
  })
  await new Promise((resolve) => setTimeout(resolve, draw(10)))
}
await records.close()
process.disconnect?.()
