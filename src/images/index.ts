export { StorageUnavailable } from '#s3'
export { contentDisposition } from './download.ts'
export { type FolderImages, type FolderParts, imageFilesPath } from './folder.ts'
export type {
  ImageLink,
  Images,
  LinkedFile,
  OpenedLink,
  StoredImage,
} from './images.ts'
export { checkImagesUrl, type ImagesParts, openImages } from './open.ts'
export type { S3Parts } from './s3.ts'
