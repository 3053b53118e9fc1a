/** An image's stored object, as its record names it. */
export interface StoredImage {
  readonly brand: string
  readonly id: string
  readonly mimeType: string
  readonly fileName: string
}

/** An address that works without a key until `expiresAt`, such as `2026-03-01T09:30:00.000Z`. */
export interface ImageLink {
  readonly url: string
  readonly expiresAt: string
}

/** A file a link leads to, and the headers it is to be served with. */
export interface LinkedFile {
  /** Absolute, with symbolic links resolved. */
  readonly file: string
  readonly mimeType: string
  readonly fileName: string
  readonly sizeBytes: number
}

/** `refused`: the link was not issued here, was changed, or has expired. `missing`: it has no file. */
export type OpenedLink = LinkedFile | 'refused' | 'missing'

/** Where the bytes of images are. Both storages pass the suite in `test/conformance/images.ts`. */
export interface Images {
  /** The origin of the links, for the Content-Security-Policy of pages that show images. */
  origin(): string

  /** A temporary address, or null when the object is missing. Throws StorageUnavailable. */
  link(image: StoredImage): Promise<ImageLink | null>

  /**
   * Stores an object, replacing an existing one atomically. Throws StorageUnavailable, and
   * RangeError when the name is not valid.
   */
  put(image: StoredImage, bytes: Uint8Array): Promise<void>

  /** The ids of a brand's objects, in batches. Throws StorageUnavailable, and RangeError for no brand. */
  ids(brand: string): AsyncIterable<readonly string[]>

  /** Removes an object; one that is missing stays missing. Throws StorageUnavailable. */
  remove(image: Pick<StoredImage, 'brand' | 'id'>): Promise<void>

  /**
   * What to serve for a request to `imageFilesPath`: its path and query as they arrived, undecoded.
   * Throws StorageUnavailable. Absent where the storage serves its links itself.
   */
  open?(path: string, query: string): Promise<OpenedLink>

  close(): Promise<void>
}

/** Fails for a text that cannot be the slug of a brand. */
export const requireBrandName = (brand: string): string => {
  if (brandPattern.test(brand)) return brand
  throw new RangeError(`No image can be stored for brand ${JSON.stringify(brand)}.`)
}

/** Whether a text can be the last part of an object's name. */
export const isImageId = (text: string): boolean => idPattern.test(text)

const brandPattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * The name of an image's object in any storage, or null when the brand or the id is not valid.
 * The only way to a file or bucket path, so nothing but these two patterns is ever part of one.
 */
export const objectName = ({ brand, id }: Pick<StoredImage, 'brand' | 'id'>): string | null =>
  brandPattern.test(brand) && idPattern.test(id) ? `${brand}/${id}` : null

/** As `objectName`, for callers that have validated the image. */
export const requireObjectName = (image: Pick<StoredImage, 'brand' | 'id'>): string => {
  const name = objectName(image)
  if (name === null) {
    throw new RangeError(
      `No image can be stored as ${JSON.stringify(image.id)} of brand ${JSON.stringify(image.brand)}.`,
    )
  }
  return name
}
