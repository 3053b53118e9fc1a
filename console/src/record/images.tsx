import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Api } from '../api.ts'
import { type Group, incoming } from '../contract.ts'
import { recordLink } from '../links.ts'
import { texts } from '../texts/index.ts'

const shownMax = 6

/** The images of a record, from their temporary URLs. An image record shows itself. */
export const Images = ({ api, group, id }: { api: Api; group: Group; id: string }) => {
  const filter = incoming(group.path).find((each) => each.group.path === 'images')?.filter ?? null
  const { data } = useQuery({
    queryKey: ['images', api.brand, group.path, id],
    queryFn: ({ signal }) =>
      api.list('images', { filters: { [filter ?? '']: id }, limit: shownMax, signal }),
    enabled: filter !== null,
  })
  if (group.path === 'images') return <Picture api={api} id={id} title={texts().record.image} />
  if (!data || data.total === 0) return null
  return (
    <section className="pictures" aria-label={texts().record.images}>
      {data.items.map((row) => (
        <Link key={String(row['id'])} href={recordLink(api.brand, 'images', String(row['id']))}>
          <Picture
            api={api}
            id={String(row['id'])}
            title={String(row['altText'] ?? row['fileName'])}
          />
        </Link>
      ))}
      {data.total > shownMax && (
        <p className="quiet">{texts().record.moreImages(data.total - shownMax)}</p>
      )}
    </section>
  )
}

const Picture = ({ api, id, title }: { api: Api; id: string; title: string }) => {
  const { data, error } = useQuery({
    queryKey: ['content', api.brand, id],
    queryFn: ({ signal }) => api.content(id, { signal }),
    // The URL expires; a page that stays open requests a new one in time.
    staleTime: 4 * 60_000,
  })
  return (
    <figure className="picture">
      {data ? (
        <img src={data.url} alt={title} loading="lazy" />
      ) : (
        <span className="quiet">{error ? error.message : ''}</span>
      )}
    </figure>
  )
}
