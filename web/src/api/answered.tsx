// A page's request to the server, and what is shown until it is answered or when it fails.
import { keepPreviousData, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorState } from '../ui/error-state.tsx'
import { Skeleton } from '../ui/spinner.tsx'
import { type AnswerOf, type AskArguments, ask, type RouteName } from './client.ts'

type How<N extends RouteName> = Omit<UseQueryOptions<AnswerOf<N>>, 'queryKey' | 'queryFn'>

/** `key` begins with the word that the stream's `stale` names. */
export function useAnswer<N extends RouteName>(
  key: readonly unknown[],
  name: N,
  ...[given, how]: [...AskArguments<N>, How<N>?]
) {
  return useQuery<AnswerOf<N>>({
    ...(how as How<N>),
    queryKey: key,
    queryFn: ({ signal }) => ask(name, ...([{ ...(given as object), signal }] as unknown as AskArguments<N>)),
  })
}

/** As long as the next answer is on its way, the one before is shown. */
export const KEEP = { placeholderData: keepPreviousData } as const

interface Query<T> {
  data: T | undefined
  error: Error | null
  refetch(): unknown
}

/** An answer that could not be refreshed stays on the screen; only one that never came is an error. */
export function Answered<T>({ query, children }: { query: Query<T>; children: (answer: T) => ReactNode }): ReactNode {
  if (query.data !== undefined) return children(query.data)
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  return <Skeleton label="Loading" />
}
