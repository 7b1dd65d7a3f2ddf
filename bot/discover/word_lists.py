"""Word lists for the phrase chunker: what cannot stand in a name, what can head one, what never is one.

English only; a document in another language gets its names from structure (titles, tables, hints), not from prose.
"""

from __future__ import annotations


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _forms(text: str) -> frozenset[str]:
    """Return verbs with their regular forms; a stem that takes them irregularly is listed by form below."""
    found = set()
    for verb in text.split():
        stem = verb[:-1] if verb.endswith("e") else verb
        third = verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb
        third = third if third.endswith("ies") else verb + ("es" if verb.endswith(("s", "x", "ch", "sh", "z")) else "s")
        past = verb[:-1] + "ied" if third.endswith("ies") and verb.endswith("y") else stem + "ed"
        found |= {verb, third, past, stem + "ing"}
    return frozenset(found)


_FUNCTION = _set(
    """a an the this that these those it its itself he she they them their his her we us our you your i my me one who whom whose which what where when
    why how whether and or but nor so yet if then else than as at by for from in into of off on onto out over to toward towards up upon with within
    without under until till unless between among amongst during before after above below since because although though while whereas
    is are was were be been being am do does did done has have had having can could may might must shall should will would cannot
    not no nor none neither either both each every all any some many much more most less least few fewer several such same other another others
    very too also only just even still again ever never always often sometimes usually generally commonly simply exactly approximately roughly
    here there hence thus therefore thereby moreover however furthermore nevertheless otherwise instead indeed perhaps e.g i.e etc cf via per
    about against along across around through throughout near like unlike except besides beyond behind beside down
    respectively accordingly consequently finally firstly secondly next last now already once twice soon later
    well quite rather almost nearly enough far away back let us see note recall consider suppose assume say says said mr mrs dr
    eq eqs eqn equations' fig figs ref refs sec sect chapter vol ed et al vs p pp ie eg viz resp""".replace(
        "second ", ""
    )
)
# Verbs that break a phrase. Words that are as often nouns in physics (work, force, charge, change, measure, flow …) stay out.
_VERBS = _forms(
    """characterize coincide culminate interpolate explore restrict accelerate accept accompany accomplish account achieve acquire act add adopt agree allow analyze analyse answer appear apply approach
    argue arise arrange ask assign associate assume attach attain become begin behave believe belong bring calculate call cancel carry
    choose classify combine come compare compute conclude confirm confuse connect consider consist contain contribute convert correspond create deal decide
    decrease deduce define demand demonstrate denote depend depict derive describe design detect determine develop differ discover discuss display
    distinguish divide dominate draw eliminate emerge employ enable encounter enter equal equate establish estimate evaluate examine exceed exclude exert exhibit
    exist expand expect experience explain explore express extend fail fall find fit focus follow gain generate get give go grow happen help hold identify
    ignore illustrate imagine imply improve include incorporate increase indicate infer insert integrate interact interpret introduce investigate
    involve isolate keep know lead learn leave lie listen locate look lose maintain make manipulate mean mention modify move multiply need neglect obey observe obtain
    occur omit originate perform permit plug point possess predict prefer present preserve prevent proceed produce prove provide
    put raise reach read realize rearrange recall receive recognize recover reduce refer regard relate release rely remain remember remove render repeat replace represent require
    resemble resolve rewrite satisfy seek seem select separate serve show simplify sit solve specify speak stand start stay store substitute subtract suffice suggest sum supply
    support suppose surround symbolize take tell tend think transfer translate treat try turn understand undergo undergoe use utilize vanish vary verify visualize want wish write yield"""
) | _set(
    """began begun became brought came chose chosen drawn drew fell fallen felt found gave given gone got gotten grew grown held kept knew known laid
    led left lost made meant met put ran read rose risen said sat saw seen sent set shown stood taken took taught thought told understood went
    written wrote getting putting setting running stopped dropped planned occurred occurring referred referring called plugging giving using
    states stated stating gives equals arises applies describes leads depends varies moves holds lies sits exerts acts needs
    becomes follows works causes caused causing results resulting based fixed"""
)
# Nouns that happen to look like forms of a verb above.
_NOUNS = _set(
    """point points transfer transfers separation approach account present lead experience sum store stress display design answer support need needs
    stand fit equal read move moving work reduced expanding accelerating rotating driving damping scattering spreading spring bending lensing mixing coupling running"""
)
_ADVERBS = _set(
    "family supply apply assembly anomaly early monopoly only reply imply multiply"
)  # nouns and adjectives that end in -ly

STOP = (_FUNCTION | _VERBS) - _NOUNS


def breaks(word: str) -> bool:
    """Say whether a lower-case word cannot stand inside a name."""
    return word in STOP or (word.endswith("ly") and len(word) > 4 and word not in _ADVERBS)


# Words trimmed from the front of a phrase: they say something about the name, they are not part of it.
LEAD = _set(
    """following above below preceding previous same so-called well-known familiar famous usual general simple simplest new old important useful basic
    given certain particular special corresponding resulting resultant different various similar entire whole actual original appropriate relevant
    equivalent alternative main key central desired required needed known unknown own full final main common typical standard modern exact approximate
    good better best large larger small smaller great greater high higher low lower long longer short shorter single double two three four five six
    well popular fundamental customary conventional significant""".replace("resultant ", "")
)
# The last word of a name of a law.
LAWS = _set(
    """law laws equation equations relation relations relationship theorem theorems principle principles formula formulas formulae rule rules identity identities inequality
    inequalities criterion criteria effect postulate hypothesis conjecture lemma axiom approximation transformation transformations transform distribution
    paradox conservation equivalence expansion series duality uncertainty invariance symmetry"""
)
# The last word of a name of a quantity.
QUANTITIES = _set(
    """constant number coefficient factor parameter ratio index modulus radius diameter length distance displacement position energy force momentum impulse power work heat
    torque mass weight density pressure temperature volume area velocity speed acceleration frequency period wavelength wavenumber amplitude phase
    time rate flux flow current charge voltage potential field resistance resistivity conductivity conductance capacitance inductance impedance reactance
    permittivity permeability susceptibility polarization magnetization dipole moment inertia entropy enthalpy capacity efficiency intensity
    luminosity brightness magnitude strain stress tension strength function operator tensor vector matrix metric curvature lagrangian hamiltonian action amplitude
    angle gradient divergence curl laplacian derivative integral sum product mean average variance deviation probability error
    redshift lifetime thickness depth height width scale size temperature emf gain loss score entropy viscosity elasticity motion shift gap level
    cross-section timescale instability anisotropy spectrum profile perturbation fluctuation fraction contrast abundance concentration multiplicity
    opacity emissivity mobility magnification eccentricity vorticity helicity stiffness density dispersion wavevector tilt bispectrum trispectrum"""
)
# Words that never name a formula alone, and phrases that start with them do not either.
EMPTY = _set(
    """equation equations expression expressions formula formulas formulae relation relations relationship law laws theorem principle rule identity inequality form forms
    case cases example examples exercise problem problems solution solutions strategy significance figure figures table tables section chapter part parts
    definition definitions term terms symbol symbols variable variables quantity quantities value values unit units number numbers result results
    statement statements proof step steps method way ways fact facts thing things order condition conditions choice kind kinds type types sort
    side sides left right hand equality notation concept concepts idea ideas question questions answer answers page book text reader article paper author authors
    system systems object objects body bodies point points line lines time times place places set sets end start direction directions
    meters metres meter metre seconds second kilogram kilograms newton newtons joule joules watt watts degrees degree percent radian radians hour hours year years day days
    physics mathematics science scientist scientists introduction overview summary history background applications application references derivation
    note notes remark remarks discussion conclusion conclusions abstract appendix check learning objectives understanding
    people person student students car ball block box particle particles amount lot use function parameter constant factor sign subscript superscript index
    proportional equal together easiest available perpendicular parallel commutative associative distributive antiparallel identical valid opposite initial
    final maximum minimum average net total positive negative counterclockwise clockwise let's let’s direction directions end mathematical content contents derivation derivations everything something nothing anything assumption assumptions approach approximation analysis calculation calculations ones one two three
    limit limits model theory effect property properties component components combination argument arguments purpose context situation situations
    constants coefficients parameters variable expression phrase role reason reasons difference change changes magnitude total sum product"""
)
# Nouns that end like an adjective; no name ends in an adjective.
LIKE_ADJECTIVES = _set(
    """potential integral signal interval crystal material metal differential functional rational polynomial binomial multinomial exponential arrival removal
    trial proposal capital terminal ideal normal diagonal orbital reciprocal residual numeral decimal dual mineral chemical fractal dial coal goal total
    equal internal withdrawal renewal survival derivative additive primitive objective perspective alternative drive five negative positive
    metric arithmetic logic topic plastic characteristic statistic heuristic logistic conic quadratic quartic cubic harmonic dielectric fabric basic traffic
    spiral radical cardinal ordinal oval aerial retrieval accrual primorial quadrilateral quintic sextic quadric nematic factorial pascal"""
)
COMPOUNDING = ("potential", "factorial", "derivative", "exponential", "integral", "pascal")  # as in “superpotential”
# “the magnitude of X is …” is about X.
THROUGH = _set(
    "magnitude value values amount size expression equation formula definition component components strength average"
)
# “the ratio of X and Y” describes what the formula shows; it names nothing.
DESCRIBING = _set(
    """ratio product sum difference derivative integral inverse square root cube quotient fraction measure function result half rate change vector scalar
    direction end projection number set combination limit reciprocal multiple rest part source slope gradient unit units"""
)
# Words that make no name of a law: “differential equation”, “trigonometric identity”, “empirical law” say its kind only.
KIND_OF_LAW = _set(
    """vector scalar algebraic differential partial ordinary resulting useful linear nonlinear non-linear connecting empirical mathematical trigonometric implicit explicit integral
    first-order second-order firstorder secondorder generalized straightforward simultaneous matrix component homogeneous inhomogeneous coupled independent quadratic-type tensor
    relative rotational translational available underlying inverse direct functional recurrence simple physical basic governing defining exact approximate derivative
    conservation initial boundary form linear-order constraint characteristic vectorial local global first second third fourth"""
)
# A heading that is one of these says nothing about the formulas below it.
HEADINGS = _set(
    """introduction overview summary history background applications application references derivation derivations example examples definition definitions notation
    properties discussion conclusion conclusions abstract appendix notes proof proofs solution strategy significance problems exercises
    lead text etymology bibliography sources generalizations generalization interpretation formulation formulations statement basics
    glossary key-equations key-terms conceptual-questions additional-problems challenge-problems check-your-understanding learning-objectives"""
)
