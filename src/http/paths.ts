import { basePath, type Catalog, operationsOf } from '#contract'

/** An operation, and what its path names. */
export interface Named {
  /** The operation's id. */
  readonly operation: string
  readonly brand: string
  /** Empty where the operation has none. */
  readonly id: string
}

/** The path of a target, and the text after its question mark. */
export const splitTarget = (target: string): readonly [path: string, query: string] => {
  const mark = target.indexOf('?')
  return mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)]
}

const prefix = `${basePath}/brands/`

/** Finds the operation of a path, as it is written: nothing in it is decoded. */
export const openPaths = (catalog: Catalog): ((path: string) => Named | null) => {
  const byForm = new Map(
    operationsOf(catalog).map((operation) => [
      operation.path.replace('/brands/{brand}', '').replace('{id}', '*'),
      operation,
    ]),
  )
  return (path) => {
    if (!path.startsWith(prefix)) return null
    const brandEnd = endOf(path, prefix.length)
    const collectionEnd = endOf(path, brandEnd + 1)
    const idEnd = endOf(path, collectionEnd + 1)
    const brand = path.slice(prefix.length, brandEnd)
    const id = path.slice(collectionEnd + 1, idEnd)
    const hasId = collectionEnd < path.length
    const collection = path.slice(brandEnd, collectionEnd)
    const operation = byForm.get(hasId ? `${collection}/*${path.slice(idEnd)}` : collection)
    if (!operation || brand === '' || (hasId && id === '')) return null
    return { operation: operation.id, brand, id }
  }
}

/** Where the part of a path ends that begins there. */
const endOf = (path: string, from: number): number => {
  const slash = path.indexOf('/', from)
  return slash === -1 ? path.length : slash
}
