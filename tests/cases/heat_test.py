"""Heat that depends on the temperature: tables over T and radiation in case files, in kelvin and in degrees Celsius, and what
cannot be meant by them."""
import unittest

import boxes
from ritz import CaseTest, EXAMPLES

BAR = f'[mesh]\nfile = "{EXAMPLES}/radiation/bar.msh"\n'
STEEL = '[[material]]\nregion = "bar"\nconductivity = 55.6\n'
HOT = '[[temperature]]\nregion = "hot"\nvalue = {}\n'
RADIATION = '[[radiation]]\nregion = "end"\nemissivity = {}\nambient = {}\n'
TABLE = '[[table]]\nname = "k"\nfile = "k.csv"\ninterpolation = "{}"\n'
OVER_T = '[[material]]\nregion = "bar"\nconductivity = "{}"\n'
END = '[[probe]]\nname = "end"\nfield = "temperature"\nregion = "end"\nmeasure = "mean"\n'


class Heat(CaseTest):
    def refuse(self, exit, words, text):
        outcome = self.run_case("ritz-heat", self.write("case.toml", BAR + text))
        self.assertEqual(outcome.exit, exit, outcome.errors)
        for word in words:
            self.assertIn(word, outcome.errors)

    def end(self, text):
        return self.solve("ritz-heat", self.write("case.toml", BAR + text + END))

    def test_the_unit_of_temperatures_changes_numbers_only(self):
        kelvin = self.end("[model]\nabsolute_zero = 0\n" + STEEL + HOT.format(1000) + RADIATION.format(0.98, 300))
        celsius = self.end("[model]\nabsolute_zero = -273.15\n" + STEEL + HOT.format(1000 - 273.15) + RADIATION.format(0.98, 300 - 273.15))
        self.assert_close(celsius.probes["end"] + 273.15, kelvin.probes["end"], 1e-8)

    def test_heat_that_is_given_counts_no_exchange_where_a_temperature_follows_others(self):
        text = STEEL + '[[convection]]\nregion = "end"\ncoefficient = 750\nambient = 0\n[[flux]]\nregion = "hot"\nvalue = 4000\n'
        nodes = '[[region]]\nname = "{}"\nkind = "nodes"\nbox = {{ low = [{}], high = [{}] }}\n'
        relation = "".join(nodes.format(name, at, at) for name, at in (("one", "0.1, 0"), ("other", "0.1, 0.01"))) + (
            '[[equation]]\nterms = [ { region = "one" }, { region = "other", factor = -1 } ]\n')
        outcome = self.end(text + relation)
        self.assert_close(outcome.fact("applied_load")[0], 40, 1e-8)
        self.assert_close(outcome.fact("convection")[0], -40, 1e-6)

    def test_a_part_of_the_loads_has_the_same_part_of_the_ambient(self):
        self.write("k.csv", "T,k\n0,50\n100,40\n")
        text = TABLE.format("linear") + OVER_T.format("k(T)") + '[newton]\nincrements = 2\nwrite = "increments"\n' + (
            '[[convection]]\nregion = "end"\ncoefficient = 750\nambient = 50\n[[flux]]\nregion = "hot"\nvalue = 4000\n')
        balances = [line for line in self.end(text).log.splitlines() if "heat into the body" in line]
        self.assertEqual([line.split("body: ")[1].split(" W given")[0] for line in balances], ["20", "40"])
        self.assertEqual([line.split("by convection ")[1].split(" W")[0] for line in balances], ["-20", "-40"])

    def test_no_temperature_is_below_absolute_zero(self):
        text = "[model]\nabsolute_zero = -273.15\n" + STEEL + RADIATION.format(0.98, 20)
        self.refuse(4, ["'value' is -400", "at least -273.15"], text + HOT.format(-400))
        convection = '[[convection]]\nregion = "hot"\ncoefficient = 750\nambient = -300\n'
        self.refuse(4, ["'ambient' is -300", "at least -273.15"], text + convection)
        self.end(text + HOT.format(-200))

    def test_a_solution_below_absolute_zero_is_told(self):
        convection = '[[convection]]\nregion = "end"\ncoefficient = 750\nambient = 100\n'
        sink = '[[flux]]\nregion = "hot"\nvalue = -{}\n'  # 750 W/m2K and 55.6 / 0.1 W/m2K in series
        for heat, told in ((20000, False), (40000, True)):
            log = self.end("[model]\nabsolute_zero = 0\n" + STEEL + convection + sink.format(heat)).log
            self.assertEqual("colder than absolute zero" in log, told, log)

    def test_radiation_alone_holds_the_temperature(self):
        flux = '[[flux]]\nregion = "hot"\nvalue = 4000\n'
        outcome = self.end("[model]\nabsolute_zero = 0\n" + STEEL + flux + RADIATION.format(0.8, 300))
        self.assert_close(outcome.probes["end"], (4000 / (0.8 * 5.670374419e-8) + 300**4) ** 0.25, 1e-8)
        self.assert_close(outcome.fact("applied_load")[0], 40, 1e-8)  # 0.01 m x 1 m
        self.assert_close(outcome.fact("radiation")[0], -40, 1e-6)

    def test_a_guess_of_the_begin_takes_no_increment(self):
        """Newton's method begins at the surroundings, and its first increment is the whole of the loads, as without a begin."""
        text = "[model]\nabsolute_zero = 0\n" + STEEL + HOT.format(1000) + RADIATION.format(0.98, 300)
        for increments in (0, 1, 3):
            facts = self.end(text + f"[newton]\nincrements = {increments}\n").report["facts"]
            self.assertEqual(int(facts["increments"]), increments or 1)

    def test_emissivity_and_surroundings_may_be_formulas(self):
        number = self.end("[model]\nabsolute_zero = 0\n" + STEEL + HOT.format(1000) + RADIATION.format(0.98, 300))
        formula = self.end("[model]\nabsolute_zero = 0\n" + STEEL + HOT.format(1000) + RADIATION.format('"0.98 + 0*y"', '"3000*x"'))
        self.assert_close(formula.probes["end"], number.probes["end"], 1e-9)

    def test_a_table_of_one_value_is_that_number(self):
        self.write("k.csv", "T,k\n0,55.6\n1000,55.6\n")
        flux = '[[flux]]\nregion = "end"\nvalue = 1000\n'
        number = self.end(STEEL + HOT.format(100) + flux)
        table = self.end(TABLE.format("linear") + OVER_T.format("k(T)") + HOT.format(100) + flux)
        self.assert_close(table.probes["end"], number.probes["end"], 1e-9)

    def test_capacity_may_be_given_without_time(self):
        self.write("k.csv", "T,k\n0,400\n1000,600\n")
        self.end(TABLE.format("linear") + STEEL + 'density = 7850\nspecific_heat = "k(T)"\n' + HOT.format(100) + '[[flux]]\nregion = "end"\nvalue = 1\n')

    def test_absolute_zero_must_be_said_with_radiation(self):
        self.refuse(2, ["absolute_zero"], STEEL + HOT.format(1000) + RADIATION.format(0.98, 300))
        self.refuse(4, ["'ambient' is -20"], "[model]\nabsolute_zero = 0\n" + STEEL + HOT.format(1000) + RADIATION.format(0.98, -20))
        self.refuse(4, ["emissivity"], "[model]\nabsolute_zero = 0\n" + STEEL + HOT.format(1000) + RADIATION.format(1.98, 300))

    def test_what_depends_on_the_temperature_is_a_table(self):
        self.write("k.csv", "T,k\n0,50\n100,40\n")
        self.refuse(2, ["a formula of T", "name(T)"], TABLE.format("linear") + OVER_T.format("2*k(T)") + HOT.format(10))
        self.refuse(2, ["there is no table 'kk'", "did you mean 'k'?"], TABLE.format("linear") + OVER_T.format("kk(T)") + HOT.format(10))
        self.refuse(2, ["linear"], TABLE.format("nearest") + OVER_T.format("k(T)") + HOT.format(10))

    def test_a_solution_outside_of_the_table_is_an_error(self):
        self.write("k.csv", "T,k\n0,50\n100,40\n")
        text = OVER_T.format("k(T)") + HOT.format(150) + HOT.format(20).replace("hot", "end")
        self.refuse(4, ["outside of the table", "rows from 0 to 100", 'outside = "constant"'], TABLE.format("linear") + text)
        self.end(TABLE.format("linear") + 'outside = "constant"\n' + text)

    def test_a_conductivity_below_zero_is_found_in_the_table(self):
        self.write("k.csv", "T,k\n0,50\n100,-40\n")
        self.refuse(4, ["'conductivity' is -40, at a temperature of 100"], TABLE.format("linear") + OVER_T.format("k(T)") + HOT.format(10))

    def test_load_cases_and_error_estimates_are_for_linear_equations(self):
        case = "[model]\nabsolute_zero = 0\n" + STEEL + HOT.format(1000) + RADIATION.format(0.98, 300)
        self.refuse(4, ["load cases of a model with nonlinear equations"], case + '[[load_case]]\nname = "a"\n[[load_case.flux]]\nregion = "end"\nvalue = 1\n')
        self.refuse(2, ["error_estimate"], case + "[output]\nerror_estimate = true\n")


class ConstantFormulas(CaseTest):
    def test_give_the_solution_of_the_number_on_distorted_cells(self):
        """Bit by bit; the conductivity has another kernel where it is constant, and agrees to rounding."""
        self.write("square.msh", boxes.blocks(("all", (2, 2), lambda u, v: (u + 0.15 * v * v + 0.1 * u * v, v - 0.2 * u * v))))
        self.write("block.msh", boxes.blocks(("all", (2, 2, 2), lambda u, v, w: (u + 0.15 * v * v + 0.1 * u * v, v - 0.2 * u * v, w + 0.1 * u * w))))
        flat = '[[temperature]]\nregion = "all.x0"\nvalue = "x + y^2"\n[[flux]]\nregion = "all.x1"\nvalue = 10\n'
        solid = '[[flux]]\nregion = "all.x1"\nvalue = 10\n'
        in_time = '[initial]\ntemperature = "x + y^2"\n[time]\nend = 1\nstep = 0.5\n'
        at = lambda x: f'[[probe]]\nname = "p"\nfield = "temperature"\npoint = {x}\n[solver]\nmethod = "direct"\n'
        capacity = "density = {}\nspecific_heat = {}\n"
        for mesh, text, x, tolerance, materials in (
                ("square.msh", flat, [0.6, 0.3], 1e-11, ("conductivity = 2", 'conductivity = "2 + 0*x"', "conductivity_along = [2, 2, 2]")),
                ("square.msh", flat + in_time, [0.6, 0.3], 0, ("conductivity = 2\n" + capacity.format(3, 2), "conductivity = 2\n" + capacity.format('"3 + 0*x"', 2))),
                ("block.msh", solid + in_time, [0.6, 0.3, 0.4], 0, ("conductivity = 2\n" + capacity.format(3, 2), "conductivity = 2\n" + capacity.format('"3 + 0*x"', '"2 + 0*y"')))):
            found = [self.solve("ritz-heat", self.write("case.toml", f'[mesh]\nfile = "{mesh}"\n[[material]]\nregion = "all"\n{material}\n' + text + at(x))).probes["p"] for material in materials]
            for each in found[1:]:
                self.assertLessEqual(abs(each / found[0] - 1), tolerance, materials)


if __name__ == "__main__":
    unittest.main()
