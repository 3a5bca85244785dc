/** View, state and search of the list; the URL holds them. */
import { SCHEDULE_STATES } from '../../../../shared/schedules/schedule.ts'
import { SELECT } from '../../../ui/form/Field.tsx'
import { Segments } from '../../../ui/form/Segments.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { useSchedulesUrl } from '../use-schedules-url.ts'

const VIEWS = [
  ['list', 'List'],
  ['day', 'Next 24 hours'],
] as const

export function ListTools() {
  const { search, state, isDay, set } = useSchedulesUrl()
  return (
    <div className="mb-3 flex flex-wrap items-center justify-between gap-2 max-sm:px-4">
      <fieldset>
        <legend className="sr-only">View</legend>
        <Segments
          name="view"
          choices={VIEWS}
          value={isDay ? 'day' : 'list'}
          onChange={(view) => set('view', view === 'day' ? view : null)}
        />
      </fieldset>
      <div className="flex min-w-0 flex-wrap gap-2 max-sm:w-full">
        <div className="w-36 max-sm:w-full">
          <select
            aria-label="State"
            value={state ?? ''}
            onChange={({ target }) => set('state', target.value)}
            className={SELECT}
          >
            <option value="">Every state</option>
            {SCHEDULE_STATES.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </div>
        <SearchField label="Find a schedule or type" text={search} onText={(text) => set('q', text)} />
      </div>
    </div>
  )
}
