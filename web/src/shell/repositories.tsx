// The other repositories of this server, each with its projects and how many sessions need somebody. Nothing with one.
import { useAnswer } from '../api/answered.tsx'

/** The streams of the others are not followed here. */
const REFRESH_MS = 15_000

export function Repositories() {
  const { data } = useAnswer(['repositories'], 'GET /api/repositories', {}, { refetchInterval: REFRESH_MS })
  const repositories = data?.repositories ?? []
  if (repositories.length < 2) return null
  return (
    <nav aria-label="Repositories" className="flex flex-col gap-0.5 px-2 pb-3 text-sm">
      <div className="px-2.5 py-1 text-2xs font-semibold text-faint">Repositories</div>
      {repositories.map(({ hash, href, name, projects, needsYou, problem, isThis, configPath }) => (
        // A full load: another repository is another page, with its own stream.
        <a
          key={hash}
          href={`${href}/`}
          title={problem ?? configPath}
          aria-current={isThis ? 'true' : undefined}
          className="flex min-h-8 items-center gap-2 rounded-md px-2.5 text-muted hover:bg-hover hover:text-ink aria-[current=true]:font-medium aria-[current=true]:text-ink"
        >
          <span className="min-w-0 flex-1 truncate">
            {name}
            <span className="block truncate text-2xs text-faint">
              {projects.map((project) => project.name).join(', ')}
            </span>
          </span>
          {problem !== null && <span className="text-danger">!</span>}
          {needsYou > 0 && (
            <span className="rounded-full bg-attention-soft px-1.5 text-xs font-semibold text-attention">
              {needsYou}
              <span className="sr-only"> need you</span>
            </span>
          )}
        </a>
      ))}
    </nav>
  )
}
