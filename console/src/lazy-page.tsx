import { type ComponentType, useEffect, useState } from 'react'
import { Loading } from './states.tsx'

/** A page whose script is loaded when it is first shown, or before. */
export type LazyPage<Props> = ComponentType<Props> & {
  /** Loads the script, so that the page is shown at once when it is asked for. */
  preload: () => void
}

/**
 * A page in a script of its own. Not by `lazy` of React, which suspends even where the script is there
 * already, and then shows no content within 300 ms of its fallback.
 */
export const lazyPage = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyPage<Props> => {
  let Loaded: ComponentType<Props> | null = null
  let loading: Promise<void> | null = null
  const start = (): Promise<void> => {
    loading ??= load().then(
      (component) => {
        Loaded = component
      },
      (error: unknown) => {
        // The next visit tries again.
        loading = null
        throw error
      },
    )
    return loading
  }
  const Page = (props: Props) => {
    const [, setResult] = useState<unknown>(null)
    useEffect(() => {
      if (Loaded) return
      start().then(
        () => setResult(true),
        (error: unknown) =>
          setResult(() => {
            throw error
          }),
      )
    }, [])
    return Loaded ? <Loaded {...props} /> : <Loading />
  }
  return Object.assign(Page, { preload: () => void start().catch(() => undefined) })
}
