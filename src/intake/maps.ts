import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SourceError } from '#ingest'
import { type Mapping, MappingError, parseMapping, requireDecided } from '#mapping'

/** The mapping files that senders name. */
export interface Maps {
  /** Throws a `SourceError` with what to do if there is none of this name, or if it has problems. */
  find(name: string): Promise<Mapping>
}

/** A file is read again when it has changed. */
interface CachedMapping {
  readonly version: string
  readonly mapping: Mapping
}

/** A name cannot lead out of the folder. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/
const cachedMax = 100

export const createMaps = (folder: string | null): Maps => {
  const cached = new Map<string, CachedMapping>()
  return {
    find: async (name) => {
      if (folder === null) {
        throw new SourceError('cannot be mapped: this server has no mappings (INGEST_MAPS)')
      }
      const file = `${name}.map.yaml`
      const missing = new SourceError(
        `names a mapping that this server does not have: ${file}. Correct the parameter map, or ask the operator to add the file to INGEST_MAPS`,
      )
      if (!namePattern.test(name)) throw missing
      const path = join(folder, file)
      const status = await stat(path).catch(() => null)
      if (!status?.isFile()) throw missing
      const version = `${status.mtimeMs} ${status.size}`
      const current = cached.get(name)
      if (current?.version === version) return current.mapping
      try {
        const mapping = await parseMapping({ file, text: await readFile(path, 'utf8') })
        requireDecided(mapping)
        if (cached.size >= cachedMax) cached.clear()
        cached.set(name, { version, mapping })
        return mapping
      } catch (error) {
        if (error instanceof MappingError) throw new SourceError(error.message)
        throw error
      }
    },
  }
}
