/** The stored object of an image record. */
export interface StoredImage {
  readonly brand: string
  readonly id: string
  readonly mimeType: string
  readonly fileName: string
}

/** A URL that works without a key until `expiresAt`, such as `2026-03-01T09:30:00.000Z`. */
export interface ImageLink {
  readonly url: string
  readonly expiresAt: string
}

/** The file of a link, and the values for its headers. */
export interface LinkedFile {
  /** Absolute, with symbolic links resolved. */
  readonly file: string
  readonly mimeType: string
  readonly fileName: string
  readonly sizeBytes: number
}

/** `refused`: the link was not issued here, was changed, or has expired. `missing`: no file. */
export type OpenedLink = LinkedFile | 'refused' | 'missing'

/** The storage of image bytes. Both storages pass the suite in `test/conformance/images.ts`. */
export interface Images {
  /** The origin of the links, for the Content-Security-Policy of pages that show images. */
  origin(): string

  /** A temporary URL; null if the object is missing. Throws StorageUnavailable. */
  link(image: StoredImage): Promise<ImageLink | null>

  /**
   * Stores an object, replacing an existing one atomically. Throws StorageUnavailable, and
   * RangeError if the name is not valid.
   */
  put(image: StoredImage, bytes: Uint8Array): Promise<void>

  /**
   * A brand's object ids, in batches. Throws StorageUnavailable; RangeError for an invalid brand.
   */
  ids(brand: string): AsyncIterable<readonly string[]>

  /** Removes an object; does nothing if it is missing. Throws StorageUnavailable. */
  remove(image: Pick<StoredImage, 'brand' | 'id'>): Promise<void>

  /**
   * Resolves a request to `imageFilesPath`, with path and query as received, undecoded. Throws
   * StorageUnavailable. Absent if the storage serves its links itself.
   */
  open?(path: string, query: string): Promise<OpenedLink>

  close(): Promise<void>
}

/** Throws if the text is not a valid slug of a brand. */
export const requireBrandName = (brand: string): string => {
  if (brandPattern.test(brand)) return brand
  throw new RangeError(`No image can be stored for brand ${JSON.stringify(brand)}.`)
}

/** Whether a text can be the last part of an object's name. */
export const isImageId = (text: string): boolean => idPattern.test(text)

const brandPattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * The name of an image's object in any storage; null if the brand or the id is not valid. Every
 * file or bucket path comes from here, so paths consist only of these two patterns.
 */
export const objectName = ({ brand, id }: Pick<StoredImage, 'brand' | 'id'>): string | null =>
  brandPattern.test(brand) && idPattern.test(id) ? `${brand}/${id}` : null

/** `objectName` for callers that have validated the image. */
export const requireObjectName = (image: Pick<StoredImage, 'brand' | 'id'>): string => {
  const name = objectName(image)
  if (name === null) {
    throw new RangeError(
      `No image can be stored as ${JSON.stringify(image.id)} of brand ${JSON.stringify(image.brand)}.`,
    )
  }
  return name
}
