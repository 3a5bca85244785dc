/** Failures page: failed attempts of the last week, grouped by type and error. */
import { useSearchParams } from 'wouter'
import { PageHead } from '../../ui/PageHead.tsx'
import { GroupList } from './GroupList.tsx'
import { TypeChoice } from './TypeChoice.tsx'

export function Failures() {
  const [params, setParams] = useSearchParams()
  const type = params.get('type')
  function choose(chosen: string | null) {
    setParams((before) => {
      const next = new URLSearchParams(before)
      next.delete('group')
      if (chosen === null) next.delete('type')
      else next.set('type', chosen)
      return next
    })
  }
  return (
    <>
      <PageHead title="Failures" hint="Failed attempts of the last 7 days, grouped by type and error message.">
        <TypeChoice type={type} onChoose={choose} />
      </PageHead>
      <GroupList key={type} type={type} />
    </>
  )
}
