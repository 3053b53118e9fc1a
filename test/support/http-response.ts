import type { Free } from './agent.ts'

export interface HttpResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Free
}

/** A response with its body, parsed where it is JSON. */
export const responseOf = async (response: Response): Promise<HttpResponse> => {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && JSON.parse(text),
  }
}
