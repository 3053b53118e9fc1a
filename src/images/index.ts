export { StorageUnavailable } from '#s3'
export { contentDisposition } from './download.ts'
export { type FolderImages, imageFilesPath } from './folder.ts'
export type {
  Images,
  LinkedFile,
  OpenedLink,
  StoredImage,
} from './images.ts'
export { checkImagesUrl, imagesFolderOf, openImages } from './open.ts'
export type { S3Parts } from './s3.ts'
