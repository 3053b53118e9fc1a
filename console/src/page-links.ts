import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { brandLink } from './links.ts'

/**
 * Handles clicks on plain links to pages. A table has hundreds of links, and each `Link` of the
 * router would subscribe to the location.
 */
export const usePageLinks = (brand: string): void => {
  const [, navigate] = useLocation()
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      const isPlain = event.button === 0 && !modifiers.some((name) => event[name])
      if (!isPlain || event.defaultPrevented) return
      const link = event.target instanceof Element ? event.target.closest('a') : null
      const path = link?.getAttribute('href')
      if (!path?.startsWith(`${brandLink(brand)}/`) || link?.target) return
      event.preventDefault()
      navigate(path)
    }
    document.addEventListener('click', onClick)
    return () => document.removeEventListener('click', onClick)
  }, [brand, navigate])
}

/** With one of these keys, the browser handles the link. */
const modifiers = ['ctrlKey', 'metaKey', 'altKey', 'shiftKey'] as const
