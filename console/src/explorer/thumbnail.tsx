import { useQuery } from '@tanstack/react-query'
import type { Api } from '../api.ts'
import { useVisibility } from '../visibility.ts'

/** Concurrent requests for image URLs. */
const parallelMax = 4

let running = 0
const waiting: (() => void)[] = []

/** Runs at most `parallelMax` tasks at a time. */
const limited = async <T,>(task: () => Promise<T>): Promise<T> => {
  if (running >= parallelMax) await new Promise<void>((begin) => waiting.push(begin))
  running += 1
  try {
    return await task()
  } finally {
    running -= 1
    waiting.shift()?.()
  }
}

interface ThumbnailProps {
  readonly api: Api
  readonly id: string
  readonly title: string
}

/** An image of a list. Requests its temporary URL once it is visible. */
export const Thumbnail = ({ api, id, title }: ThumbnailProps) => {
  const [place, isVisible] = useVisibility<HTMLSpanElement>()
  const { data } = useQuery({
    queryKey: ['content', api.brand, id],
    queryFn: ({ signal }) => limited(() => api.content(id, { signal })),
    enabled: isVisible,
    // The URL expires; a page that stays open requests a new one in time.
    staleTime: 4 * 60_000,
  })
  return (
    <span ref={place} className="thumbnail">
      {data ? <img src={data.url} alt={title} /> : <span className="quiet">{title && ' '}</span>}
    </span>
  )
}
