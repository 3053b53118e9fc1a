import { parseJson, SelvedgeError } from '../../../../client/src/index.ts'
import { fileNameHeader, type OperatorUpload } from '../../../../src/contract/index.ts'
import { texts } from '../../texts/index.ts'

interface SendOptions {
  readonly csrfToken: string
  /** The upload that takes the file; null for a new one. */
  readonly upload: string | null
  /** Receives the share that has been sent, from 0 to 1. */
  readonly onProgress: (share: number) => void
}

/** Sends the bytes of a file. `fetch` does not say how much of a body it has sent. */
export const sendFile = (
  file: File,
  { csrfToken, upload, onProgress }: SendOptions,
): Promise<OperatorUpload> =>
  new Promise((resolve, reject) => {
    const url = upload === null ? '/api/uploads' : `/api/uploads/${upload}/files`
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.setRequestHeader('x-csrf-token', csrfToken)
    request.setRequestHeader(fileNameHeader, encodeURIComponent(file.name))
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onload = () => {
      const { status, responseText: body } = request
      try {
        resolve(
          parseJson({ url, status, headers: new Headers(), body, tries: 1 }) as OperatorUpload,
        )
      } catch (error) {
        reject(error)
      }
    }
    request.onerror = () => {
      const message = texts().states.unreachable
      reject(new SelvedgeError({ code: 'network_error', message, url, tries: 1 }))
    }
    request.send(file)
  })
